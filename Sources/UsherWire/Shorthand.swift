// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The protocol as people type it: a method or a short word, then `key=value` words.
///
/// Everything comes from ``MethodTable``; this reads words and turns them into the same ``Arguments`` that JSON gives.
/// Lines are cut at scalars, not at Characters: a blank, a quote or a `=` stays one when a combining mark follows it.
package enum Shorthand {
    /// One line, cut into a method and the arguments of each call it stands for.
    package struct Command: Sendable {
        package let entry: MethodEntry
        /// One for most lines; `watch` and `unwatch` make a call of each topic.
        package let calls: [Arguments]
    }

    /// Reads a line, which starts with a lower-case letter.
    package static func parse(_ line: String) throws(WireError) -> Command {
        let scalars = line.unicodeScalars
        let word = String(scalars.prefix { !isBlank($0) })
        let rest = scalars.drop { !isBlank($0) }.drop(while: isBlank)
        if let entry = MethodTable.entry(named: word) {
            return Command(entry: entry, calls: [try named(rest, of: entry)])
        }
        // By bytes: to compare texts as texts, a character of sixty thousand bytes is read to its end each time.
        let shorthand = MethodTable.entries.first { entry in
            entry.shorthand?.word.utf8.elementsEqual(word.utf8) == true
        }
        guard let entry = shorthand else {
            let known = MethodTable.entries.flatMap { entry in
                [entry.method.rawValue] + (entry.shorthand.map { [$0.word] } ?? [])
            }
            throw WireError(.unknownMethod, unknown(word, among: known))
        }
        switch entry.shorthand?.operand {
        case .rest(let name) where !startsWithKey(rest, of: entry):
            let whole = rest.isEmpty ? nil : try whole(rest)
            return Command(entry: entry, calls: [try operand(whole, name: name, of: entry)])
        case .each(let name):
            return Command(entry: entry, calls: try each(rest, name: name, of: entry))
        default:
            return Command(entry: entry, calls: [try named(rest, of: entry)])
        }
    }

    /// Whether a line is a word or a method alone, with nothing behind it.
    package static func isWord(_ line: String) -> Bool {
        MethodTable.entries.contains { $0.method.rawValue == line || $0.shorthand?.word == line }
    }

    /// What `help` answers: one line a method.
    package static var help: [String] {
        MethodTable.entries.map { entry in
            var usage = entry.shorthand?.word ?? entry.method.rawValue
            switch entry.shorthand?.operand {
            case .rest(let name): usage += " \(name.uppercased())"
            case .each: usage += " TOPIC…"
            case nil:
                for parameter in entry.parameters {
                    let word = "\(parameter.name)=\(parameter.kind.placeholder)"
                    usage += parameter.isRequired ? " \(word)" : " [\(word)]"
                }
            }
            return "\(usage): \(entry.summary)"
        }
    }

    /// The text of an error for a name that is not known, with the nearest one that is.
    package static func unknown(_ name: String, among known: [String]) -> String {
        let shown = excerpt(name)
        // Names have no capitals, but people and other protocols write some.
        let written = Array(shown.lowercased().utf8)
        let nearest = known.map { ($0, editDistance(written, Array($0.utf8))) }
            .min { $0.1 < $1.1 }
        if let (word, distance) = nearest, distance <= max(2, shown.utf8.count / 3) {
            return "there is no \(shown); did you mean \(word)?"
        }
        return "there is no \(shown); help lists what there is"
    }

    // MARK: Words

    private typealias Scalars = Substring.UnicodeScalarView

    private static func named(
        _ text: Scalars, of entry: MethodEntry
    ) throws(WireError) -> Arguments {
        var arguments = Arguments()
        for word in try words(text) {
            let scalars = word.unicodeScalars
            guard let equals = scalars.firstIndex(of: "=") else {
                throw WireError(
                    .unknownParam, "\(excerpt(word)) is not a key=value word; " + usage(of: entry))
            }
            let name = String(scalars[..<equals])
            let path = "/params/\(pointer(excerpt(name)))"
            guard let parameter = entry.parameters.first(where: { $0.name == name }) else {
                throw WireError(
                    .unknownParam,
                    "\(entry.method.rawValue) has no \(excerpt(name)); " + usage(of: entry),
                    path: path)
            }
            guard !arguments.has(name) else {
                throw WireError(.duplicateKey, "\(name) stands twice", path: path)
            }
            let text = String(scalars[scalars.index(after: equals)...])
            arguments.set(name, to: try value(text, for: parameter))
        }
        try arguments.checkRequired(of: entry)
        return arguments
    }

    /// The rest of a line as one value: as it stands, or without its quotes.
    private static func whole(_ text: Scalars) throws(WireError) -> String {
        guard text.first != "\"" else { return try words(text).joined(separator: " ") }
        let last = text.lastIndex { !isBlank($0) }
        return String(text[..<(last.map { text.index(after: $0) } ?? text.startIndex)])
    }

    private static func operand(
        _ text: String?, name: String, of entry: MethodEntry
    ) throws(WireError) -> Arguments {
        var arguments = Arguments()
        if let text, let parameter = entry.parameters.first(where: { $0.name == name }) {
            arguments.set(name, to: try value(text, for: parameter))
        }
        try arguments.checkRequired(of: entry)
        return arguments
    }

    private static func each(
        _ text: Scalars, name: String, of entry: MethodEntry
    ) throws(WireError) -> [Arguments] {
        let words = try words(text)
        guard !words.isEmpty else {
            throw WireError(
                .missing, "name a topic: user, movies or engine", path: "/params/\(name)")
        }
        guard words.count <= Limits.batchRequests else {
            throw WireError(
                .batchTooBig,
                "a line stands for at most \(Limits.batchRequests) requests, this one "
                    + "\(words.count)")
        }
        var calls: [Arguments] = []
        for word in words {
            let scalars = word.unicodeScalars
            let key = "\(name)=".unicodeScalars
            let operand = scalars.starts(with: key) ? scalars.dropFirst(key.count) : scalars[...]
            calls.append(try Self.operand(String(operand), name: name, of: entry))
        }
        return calls
    }

    private static func value(
        _ text: String, for parameter: Parameter
    ) throws(WireError) -> Arguments.Value {
        let path = "/params/\(parameter.name)"
        switch parameter.kind {
        case .integer:
            guard let number = Int64(text) else {
                throw WireError(.wrongType, "\(parameter.name) is a whole number", path: path)
            }
            return try parameter.check(.integer(number), path: path)
        case .boolean:
            guard let flag = Bool(text) else {
                throw WireError(.wrongType, "\(parameter.name) is true or false", path: path)
            }
            return .boolean(flag)
        case .string, .choice: return try parameter.check(.string(text), path: path)
        case .object:
            throw WireError(
                .wrongType, "\(parameter.name) is an object; write the request as JSON", path: path)
        }
    }

    /// Cuts text at blanks; double quotes hold a word together, a backslash takes the next character as it is.
    private static func words(_ text: Scalars) throws(WireError) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        var isInWord = false
        var isQuoted = false
        var isEscaped = false
        for scalar in text {
            if isEscaped {
                word.append(scalar)
                isEscaped = false
            } else if isBlank(scalar) && !isQuoted {
                if isInWord { words.append(String(word)) }
                word = String.UnicodeScalarView()
                isInWord = false
                continue
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                isQuoted.toggle()
            } else {
                word.append(scalar)
            }
            isInWord = true
        }
        guard !isQuoted, !isEscaped else {
            throw WireError(.badJSON, "a quote or a backslash is left open at the end of the line")
        }
        if isInWord { words.append(String(word)) }
        return words
    }

    private static func startsWithKey(_ text: Scalars, of entry: MethodEntry) -> Bool {
        entry.parameters.contains { text.starts(with: "\($0.name)=".unicodeScalars) }
    }

    private static func usage(of entry: MethodEntry) -> String {
        guard !entry.parameters.isEmpty else { return "it takes nothing" }
        return "it takes " + entry.parameters.map { "\($0.name)=" }.joined(separator: " ")
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t"
    }

    /// The beginning of a text that a peer sent, for messages: short in bytes too, however many marks a Character has.
    private static func excerpt(_ text: String) -> String {
        String(text.unicodeScalars.prefix(64))
    }

    /// The text as a part of a JSON pointer (RFC 6901).
    private static func pointer(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    /// How many insertions, deletions and replacements lie between two words.
    private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (byte == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}

extension Parameter.Kind {
    /// What stands for a value in a line of help.
    fileprivate var placeholder: String {
        switch self {
        case .string: "TEXT"
        case .choice(let values): values.count <= 4 ? values.joined(separator: "|") : "NAME"
        case .integer: "N"
        case .boolean: "true|false"
        case .object: "{…}"
        }
    }
}
