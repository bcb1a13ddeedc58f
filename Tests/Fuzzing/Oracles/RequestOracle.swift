// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import UsherWire

@testable import UsherDaemon

/// The bytes of a connection give the same requests however they arrive, and only requests that are right.
struct RequestOracle: Oracle {
    private let binder = RequestBinder()
    private let syntax = SyntaxOracle()
    private let written = WrittenJSON()

    /// Inputs that are also fed one byte at a time.
    private static let bytesFedSingly = 1_024
    /// Bytes of a line in the check of framing alone, so that the limit is met often.
    private static let shortLineBytes = 24
    /// Bytes of an error's words, of whatever it is about.
    private static let messageBytes = 1_024

    func check(_ input: [UInt8]) throws(Finding) {
        var generator = SplitMix(seed: input)
        let splits = [
            input.cut(upTo: 8, &generator), input.cut(upTo: 200, &generator),
            input.count <= Self.bytesFedSingly ? input.map { [$0] } : [input],
        ]
        let items = frame([input], limit: Self.shortLineBytes)
        try require(
            items == Framed.reference(input, limit: Self.shortLineBytes),
            "framed otherwise than it should be: \(shown(input))")
        let read = read([input])
        for pieces in splits {
            try require(
                frame(pieces, limit: Self.shortLineBytes) == items,
                "framed otherwise in \(pieces.count) pieces: \(shown(input))")
            try require(
                self.read(pieces) == read,
                "read otherwise in \(pieces.count) pieces: \(shown(input))")
        }
        for line in read { try check(line) }
    }

    // MARK: Reading, as a session does

    private func frame(_ pieces: [[UInt8]], limit: Int) -> [Framed] {
        var framer = LineFramer(limit: limit)
        var items: [Framed] = []
        for piece in pieces {
            framer.append(piece.span)
            while let item = framer.next() {
                switch item {
                case .tooLong: items.append(.tooLong)
                case .line(let range): items.append(.line(Array(framer.buffer[range])))
                }
            }
        }
        if let range = framer.finish() { items.append(.rest(Array(framer.buffer[range]))) }
        return items
    }

    private func read(_ pieces: [[UInt8]]) -> [ReadLine] {
        var lines: [ReadLine] = []
        for item in frame(pieces, limit: Limits.lineBytes) {
            let number = lines.count + 1
            let line = item.bytes
            guard item != .tooLong else {
                lines.append(ReadLine(text: [], number: number, .one(.tooLong)))
                continue
            }
            let bound = binder.bind(
                line, 0..<line.count, number: number, isWhole: item == .line(item.bytes))
            lines.append(ReadLine(text: line, number: number, bound))
            // The connection is closed behind HTTP.
            if lines.last?.form == .foreign { break }
        }
        return lines
    }

    // MARK: What was read

    private func check(_ line: ReadLine) throws(Finding) {
        try syntax.check(line.text)
        try checkUserRead(of: line)
        let start = line.unmarked.first { $0 != 0x20 && $0 != 0x09 }
        let isJSON = start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
        let foundation = isJSON ? try? JSONSerialization.jsonObject(with: Data(line.text)) : nil
        for (index, request) in line.requests.enumerated() {
            if isJSON {
                let elements = foundation as? [Any]
                let value = line.form == .batch ? elements?[index] : foundation
                try checkID(of: request, in: line, (value as? [String: Any])?["id"])
            } else if case .json(let id) = request.id {
                try require(
                    Array(id) == Array(String(line.number).utf8), "a typed line's id is its number")
            }
            try checkError(of: request, in: line)
        }
        if line.form == .batch { try checkAnswers(to: line) }
        try require(
            isJSON || line.form != .batch, "only JSON makes a batch: \(shown(line.text))")
    }

    /// What is recognised without a parser is what the parser would have made of it.
    private func checkUserRead(of line: ReadLine) throws(Finding) {
        guard let read = UserRead(line.text.span) else { return }
        let request = line.requests.first
        try require(
            line.form == .one && request?.id == .json(line.text[read.id])
                && request?.outcome == .success(.userGet(user: nil)),
            "recognised, and read otherwise: \(shown(line.text))")
    }

    private func checkID(
        of request: ReadRequest, in line: ReadLine, _ expected: Any?
    ) throws(Finding) {
        if request.isRight {
            try require(
                (request.id == .absent) == (expected == nil),
                "an id that is there or not: \(shown(line.text))")
        }
        guard case .json(let id) = request.id else { return }
        try require(
            line.text.indices.contains(id.startIndex) && line.text[id.indices] == id,
            "the id \(shown(id)) is not a part of the line: \(shown(line.text))")
        let read = try? JSONSerialization.jsonObject(
            with: Data(id), options: .fragmentsAllowed)
        switch (read, expected) {
        case (let read as String, let expected as String):
            try require(read == expected, "\(shown(id)) is not the id of \(shown(line.text))")
        case (let read as NSNumber, let expected as NSNumber):
            try require(read == expected, "\(shown(id)) is not the id of \(shown(line.text))")
        default:
            throw Finding(description: "\(shown(id)) is not the id of \(shown(line.text))")
        }
    }

    /// Answers that say no more than what failed have a place in every batch, so that its line never grows too long.
    private func checkAnswers(to line: ReadLine) throws(Finding) {
        let batch = Batch(count: line.requests.count)
        var answers: [UInt8]?
        for (index, request) in line.requests.enumerated() {
            let short = Self.shortAnswer + [UInt8](repeating: 0x20, count: request.id.byteCount)
            try require(
                short.count < batch.budget, "no room for answer \(index) to \(shown(line.text))")
            answers = batch.answer(Batch.Place(batch: batch, index: index), short)
        }
        try require(
            answers.map { $0.count < Limits.lineBytes } == true,
            "\(answers?.count ?? 0) bytes of answers to \(shown(line.text))")
    }

    private func checkError(of request: ReadRequest, in line: ReadLine) throws(Finding) {
        guard case .failure(let error) = request.outcome else { return }
        _ = try written.parse(Self.answer(request.id, error))
        try check(error, at: error.offset ?? line.text.count, of: line.unmarked)
        let slashes = error.path?.utf8.count { $0 == UInt8(ascii: "/") }
        try require(
            error.reason != .unknownMember || slashes == 1,
            "\(error.path ?? "no path") is no pointer to a member: \(shown(line.text))")
        try require(
            error.message.utf8.count <= Self.messageBytes
                && (error.path?.utf8.count ?? 0) <= Self.messageBytes,
            "the error is \(error.message.utf8.count) bytes long: \(shown(line.text))")
    }

    /// An offset says where the fault is.
    private func check(
        _ error: WireError, at offset: Int, of text: [UInt8]
    ) throws(Finding) {
        let isRight: Bool? =
            switch error.reason {
            case .invalidUTF8:
                offset < text.count && String(validating: text[..<offset], as: UTF8.self) != nil
                    && String(validating: text[offset...].prefix(4), as: UTF8.self) == nil
            case .nulByte: offset == text.firstIndex(of: 0)
            case .duplicateKey where error.offset != nil:
                offset < text.count && text[offset] == UInt8(ascii: "\"")
            default: nil
            }
        try require(
            isRight ?? true, "\(error.reason.rawValue) is not at \(offset): \(shown(text))")
    }

    /// The longest answer that says no more than what failed, with the id `null`.
    private static let shortAnswer =
        ErrorReason.allCases.map { answer(.absent, WireError($0, $0.summary)) }
        .max { $0.count < $1.count } ?? []

    private static func answer(_ id: RequestID, _ error: WireError) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginAnswer(id)
        writer.raw(",\"error\":")
        writer.wireError(error)
        writer.raw("}")
        return writer.bytes
    }
}

extension RequestID {
    fileprivate var byteCount: Int {
        guard case .json(let json) = self else { return 0 }
        return json.count
    }
}
