// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// A line is looked at twice: here, to find out whose it is without decoding anything, and then by a
// decoder that knows what to expect. It also means that a raw call gets its result byte for byte.

/// The members of a JSON object: where the value of each one stands.
struct JSONMembers {
    private let bytes: [UInt8]
    private var members: [(key: Range<Int>, value: Range<Int>)] = []

    /// Finds the members; nil if the bytes are not one object with nothing behind it.
    ///
    /// What lies inside of the values is checked for balanced brackets and closed strings only.
    init?(of bytes: [UInt8], in range: Range<Int>? = nil) {
        self.bytes = bytes
        var scanner = JSONScanner(bytes: bytes, range: range ?? bytes.indices)
        guard scanner.take(UInt8(ascii: "{")) else { return nil }
        if !scanner.take(UInt8(ascii: "}")) {
            repeat {
                guard let key = scanner.string(), scanner.take(UInt8(ascii: ":")),
                    let value = scanner.value()
                else { return nil }
                members.append((key.dropFirst().dropLast(), value))
            } while scanner.take(UInt8(ascii: ","))
            guard scanner.take(UInt8(ascii: "}")) else { return nil }
        }
        guard scanner.isAtEnd else { return nil }
    }

    /// Where a member's value stands; nil when there is none of the name.
    subscript(name: String) -> Range<Int>? {
        members.first { bytes[$0.key].elementsEqual(name.utf8) }?.value
    }

    /// A member's value, if it is a whole number.
    func integer(_ name: String) -> Int? {
        self[name].flatMap { Int(String(decoding: bytes[$0], as: UTF8.self)) }
    }

    /// A member's value, if it is a string without escapes.
    func plainString(_ name: String) -> String? {
        guard let range = self[name], range.count >= 2,
            bytes[range.lowerBound] == UInt8(ascii: "\"")
        else { return nil }
        let inside = bytes[range.dropFirst().dropLast()]
        return inside.contains(UInt8(ascii: "\\")) ? nil : String(decoding: inside, as: UTF8.self)
    }
}

/// Goes over JSON text from value to value.
private struct JSONScanner {
    let bytes: [UInt8]
    let end: Int
    var position: Int

    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool {
        mutating get {
            skipBlanks()
            return position == end
        }
    }

    /// Steps over a byte behind blanks, if it is this one.
    mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func value() -> Range<Int>? {
        skipBlanks()
        guard position < end else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "{"), UInt8(ascii: "["): return container()
        default: return word()
        }
    }

    /// A string with its quotes.
    mutating func string() -> Range<Int>? {
        let start = position
        guard take(UInt8(ascii: "\"")) else { return nil }
        let first = max(start, position - 1)
        while position < end {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return first..<position
            case UInt8(ascii: "\\"): position += 1
            case 0..<0x20: return nil
            default: break
            }
        }
        return nil
    }

    private mutating func container() -> Range<Int>? {
        let start = position
        var closers: [UInt8] = []
        while position < end {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                guard string() != nil else { return nil }
                continue
            case UInt8(ascii: "{"): closers.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): closers.append(UInt8(ascii: "]"))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard closers.popLast() == byte else { return nil }
            default: break
            }
            position += 1
            if closers.isEmpty { return start..<position }
        }
        return nil
    }

    /// A number, `true`, `false` or `null`.
    private mutating func word() -> Range<Int>? {
        let start = position
        while position < end, Self.isWordByte(bytes[position]) { position += 1 }
        return start < position ? start..<position : nil
    }

    private mutating func skipBlanks() {
        while position < end, Self.isBlank(bytes[position]) { position += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
