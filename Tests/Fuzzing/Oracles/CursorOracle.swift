// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// Cursors and topics: what is read is written the same, what is written is read the same, and nothing else is read.
struct CursorOracle: Oracle {
    func check(_ input: [UInt8]) throws(Finding) {
        guard let text = String(validating: input, as: UTF8.self) else { return }
        try checkCursor(text)
        try checkTopic(text)
        try checkWritten(input)
    }

    private func checkCursor(_ text: String) throws(Finding) {
        let cursor = Cursor(text)
        let bytes = Array(text.utf8)
        let digits = bytes.dropFirst(Epoch.length + 1)
        let isCursor =
            bytes.prefix(Epoch.length).count { isHexadecimal($0) } == Epoch.length
            && bytes.dropFirst(Epoch.length).first == UInt8(ascii: ":")
            && isCanonical(digits) && UInt64(String(decoding: digits, as: UTF8.self)) != nil
        try require((cursor != nil) == isCursor, "a cursor or not: \(shown(bytes))")
        guard let cursor else { return }
        try require(
            cursor.description.utf8.elementsEqual(bytes), "\(shown(bytes)) became \(cursor)")
    }

    private func checkTopic(_ text: String) throws(Finding) {
        let ownUser: Int64 = 77
        let topic = Topic(text, ownUser: ownUser)
        let expected: String? =
            switch text {
            case "user": "user/\(ownUser)"
            case "movies": "movies/popular"
            default: isTopic(Array(text.utf8)) ? text : nil
            }
        try require(
            topic.map { Array($0.description.utf8) } == expected.map { Array($0.utf8) },
            "\(shown(text.utf8)) is the topic \(topic?.description ?? "of none")")
        guard let topic else { return }
        try require(
            Topic(topic.description, ownUser: 0) == topic, "\(topic) is read as another topic")
    }

    /// Takes the first 16 bytes as numbers.
    private func checkWritten(_ input: [UInt8]) throws(Finding) {
        let numbers = input.prefix(16) + Array(repeating: 0, count: max(0, 16 - input.count))
        let epoch = numbers.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let revision = numbers.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let cursor = Cursor(epoch: Epoch(value: epoch), revision: revision)
        try require(Cursor(cursor.description) == cursor, "\(cursor) is not read back")
        var writer = JSONWriter()
        writer.cursor(cursor)
        try require(
            writer.bytes == Array("\"\(cursor)\"".utf8), "\(cursor) is \(shown(writer.bytes))")
    }

    private func isTopic(_ bytes: [UInt8]) -> Bool {
        if bytes == Array("engine".utf8) { return true }
        if bytes.starts(with: "movies/".utf8) { return bytes.count > 7 }
        let digits = bytes.dropFirst(5)
        return bytes.starts(with: "user/".utf8) && isCanonical(digits)
            && Int64(String(decoding: digits, as: UTF8.self)) != nil
    }

    /// Digits without a zero before them.
    private func isCanonical(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.allSatisfy { (0x30...0x39).contains($0) } && !digits.isEmpty
            && (digits.first != 0x30 || digits.count == 1)
    }

    private func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
