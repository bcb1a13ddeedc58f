// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

@testable import UsherDaemon

/// A typed line means the same as its long form, and that the same as the JSON request.
struct ShorthandOracle: Oracle {
    private let binder = RequestBinder()

    func check(_ input: [UInt8]) throws(Finding) {
        guard let text = String(validating: input, as: UTF8.self), !input.contains(0x0A),
            !input.contains(0)
        else { return }
        if let command = try? Shorthand.parse(text) {
            for arguments in command.calls {
                let long = Typed.line(arguments, of: command.entry)
                try require(
                    outcome(long) == bind(arguments, of: command.entry),
                    "\(shown(text.utf8)) is not \(shown(long.utf8))")
                try checkJSON(arguments, of: command.entry)
            }
        }
        try checkValue(text)
        // What may be a value at all, in each of the places where a short word takes one.
        try checkSame("rename \(Typed.quoted(text))", "user.rename name=\(Typed.quoted(text))")
        if !text.utf8.starts(with: "topic=".utf8) {
            try checkSame("watch \(Typed.quoted(text))", "subscribe topic=\(Typed.quoted(text))")
        }
        if !text.utf8.starts(with: "as=".utf8) {
            try checkSame("unwatch \(Typed.quoted(text))", "unsubscribe as=\(Typed.quoted(text))")
        }
    }

    /// What stands in quotes is the value, to the byte.
    private func checkValue(_ text: String) throws(Finding) {
        // A scalar has up to four bytes.
        let value = String(text.unicodeScalars.prefix(Limits.subscriptionNameBytes / 4))
        let line = "subscribe topic=\(Typed.quoted(value))"
        guard case .success(let calls) = outcome(line), case .subscribe(let call) = calls.first,
            calls.count == 1, call.topic.utf8.elementsEqual(value.utf8)
        else { throw Finding(description: "another value: \(shown(line.utf8))") }
    }

    private func checkSame(_ short: String, _ long: String) throws(Finding) {
        try require(outcome(short) == outcome(long), "\(shown(short.utf8)) differs from long form")
    }

    private func checkJSON(_ arguments: Arguments, of entry: MethodEntry) throws(Finding) {
        let line = Typed.json(arguments, of: entry)
        guard
            case .one(let request) = binder.bind(
                line, 0..<line.count, number: 1, isWhole: true)
        else { throw Finding(description: "not a request: \(shown(line))") }
        try require(
            request.outcome.map { [$0.call] } == bind(arguments, of: entry),
            "another request: \(shown(line))")
    }

    private func outcome(_ line: String) -> Result<[Call], WireError> {
        do throws(WireError) {
            let command = try Shorthand.parse(line)
            var calls: [Call] = []
            for arguments in command.calls { calls.append(try command.entry.bind(arguments)) }
            return .success(calls)
        } catch {
            return .failure(error)
        }
    }

    private func bind(
        _ arguments: Arguments, of entry: MethodEntry
    ) -> Result<[Call], WireError> {
        do throws(WireError) { return .success([try entry.bind(arguments)]) } catch {
            return .failure(error)
        }
    }
}

/// Requests written out again.
enum Typed {
    /// The method and its arguments as key=value words.
    static func line(_ arguments: Arguments, of entry: MethodEntry) -> String {
        var line = entry.method.rawValue
        for parameter in entry.parameters {
            let name = parameter.name
            if let text = arguments.string(name) { line += " \(name)=\(quoted(text))" }
            if let number = arguments.integer(name) { line += " \(name)=\(number)" }
            if let flag = arguments.boolean(name) { line += " \(name)=\(flag)" }
        }
        return line
    }

    static func json(_ arguments: Arguments, of entry: MethodEntry) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"method\":")
        writer.string(entry.method.rawValue)
        writer.raw(",\"params\":{")
        var isFirst = true
        for parameter in entry.parameters where arguments.has(parameter.name) {
            if !isFirst { writer.raw(",") }
            isFirst = false
            writer.string(parameter.name)
            writer.raw(":")
            if let text = arguments.string(parameter.name) { writer.string(text) }
            if let number = arguments.integer(parameter.name) { writer.integer(number) }
            if let flag = arguments.boolean(parameter.name) { writer.boolean(flag) }
        }
        writer.raw("}}")
        return writer.bytes
    }

    /// One word that means this text.
    static func quoted(_ text: String) -> String {
        var word = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { word += "\\" }
            word.unicodeScalars.append(scalar)
        }
        word.unicodeScalars.append("\"")
        return word
    }
}
