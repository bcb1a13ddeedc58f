// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Services do send texts cut in the middle of a character, numbers that no type holds, and files written by hand have a
// comma too many. To a strict parser each of them costs the whole page, so a text that it refuses is looked through for
// them once more: where values begin and end is plain whatever is in them.

internal import UsherJSON

/// A JSON text in which values that are broken in themselves are replaced, so that the rest can be read.
struct MendedJSON {
    let text: [UInt8]
    /// Where keys begin, in this text, that are no texts.
    let brokenKeys: Set<Int>

    /// Gives nil where a text has no end, so that nothing can be told of what is behind.
    init?(_ source: [UInt8]) {
        var mender = Mender(source)
        guard mender.mend() else { return nil }
        text = mender.text
        brokenKeys = mender.brokenKeys
    }
}

/// Looks through a text once, from value to value.
private struct Mender {
    private(set) var text: [UInt8] = []
    private(set) var brokenKeys: Set<Int> = []

    /// What stands for a broken value: no member is an object.
    private static let replacement = Array("{}".utf8)
    private static let brokenKey = Array("\"\"".utf8)

    private let source: [UInt8]
    private let parser: JSONParser

    init(_ source: [UInt8]) {
        self.source = source
        parser = JSONParser(capacity: source.count, depth: 1)
    }

    mutating func mend() -> Bool {
        var index = 0
        while index < source.count {
            switch source[index] {
            case UInt8(ascii: "\""):
                guard let end = endOfText(from: index) else { return false }
                put(text: index..<end)
                index = end
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let end = source[index...].firstIndex { !Self.isOfNumber($0) } ?? source.count
                put(number: index..<end)
                index = end
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                dropCommaAtEnd()
                text.append(source[index])
                index += 1
            case let byte:
                text.append(byte)
                index += 1
            }
        }
        return true
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Where a text ends, behind its last quotation mark.
    private func endOfText(from start: Int) -> Int? {
        var index = start + 1
        while index < source.count {
            switch source[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    private mutating func put(text range: Range<Int>) {
        if isInOrder(range) {
            text += source[range]
        } else if firstSign(from: range.upperBound) == UInt8(ascii: ":") {
            brokenKeys.insert(text.count)
            text += Self.brokenKey
        } else {
            text += Self.replacement
        }
    }

    /// A whole number of any length is one still, if not to its last digit.
    private mutating func put(number range: Range<Int>) {
        if isInOrder(range) {
            text += source[range]
        } else if let number = wholeNumber(range) {
            text += Array(number.description.utf8)
        } else {
            text += Self.replacement
        }
    }

    private func wholeNumber(_ range: Range<Int>) -> Double? {
        let digits = source[range].first == UInt8(ascii: "-") ? range.dropFirst() : range
        guard digits.count > 1, source[digits.lowerBound] != UInt8(ascii: "0"),
            source[digits].allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Double(String(decoding: source[range], as: UTF8.self)), number.isFinite
        else { return nil }
        return number
    }

    /// Whether a text or a number is strict JSON.
    private func isInOrder(_ range: Range<Int>) -> Bool {
        do {
            try parser.parse(source.span.extracting(range))
            return true
        } catch {
            return false
        }
    }

    /// The first sign that is no blank.
    private func firstSign(from start: Int) -> UInt8? {
        source[start...].first { !Self.isBlank($0) }
    }

    /// Takes back a comma behind the last value of an array or an object.
    private mutating func dropCommaAtEnd() {
        guard let comma = text.lastIndex(where: { !Self.isBlank($0) }),
            text[comma] == UInt8(ascii: ","),
            let before = text[..<comma].last(where: { !Self.isBlank($0) }),
            ![UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":")]
                .contains(before)
        else { return }
        text.removeSubrange(comma...)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }
}
