// Part of Usher. SPDX-License-Identifier: Apache-2.0

// A second reader of JSON, written from the grammar of RFC 8259 with no thought of speed. It goes on after the faults
// that lenient parsers let pass, and so can name the rule by which a text is refused: two parsers that disagree over a
// text are both right only if they differ in such a rule.

/// A JSON text's faults.
struct ReferenceJSON {
    /// What may be wrong with a text.
    enum Rule: String {
        /// The grammar is broken in a way that no rule below names; reading stopped there.
        case grammar
        case invalidUTF8
        case nulByte
        case byteOrderMark
        case trailingComma
        case loneSurrogate
        /// Nested deeper than the protocol allows.
        case tooDeep
        case duplicateKey
        /// An integer beyond 64 bits, or a number beyond a Double.
        case numberRange
    }

    private(set) var broken: Set<Rule> = []
    private let bytes: [UInt8]
    private let depthLimit: Int
    private var index = 0
    private var depth = 0

    /// How deep it reads at all, lest it overflows the stack.
    private static let lastDepth = 600

    init(_ text: [UInt8], depthLimit: Int) {
        bytes = text
        self.depthLimit = depthLimit
        if String(validating: text, as: UTF8.self) == nil { broken.insert(.invalidUTF8) }
        if text.contains(0) { broken.insert(.nulByte) }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) {
            broken.insert(.byteOrderMark)
            index = 3
        }
        do throws(Stop) {
            try value()
            if next != nil { throw Stop() }
        } catch {
            broken.insert(.grammar)
        }
    }

    private struct Stop: Error {}

    /// The next byte that is not white space.
    private var next: UInt8? {
        mutating get {
            while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) {
                index += 1
            }
            return peek
        }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func value() throws(Stop) {
        switch next {
        case UInt8(ascii: "{"): try object()
        case UInt8(ascii: "["): try array()
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    private mutating func object() throws(Stop) {
        let end = UInt8(ascii: "}")
        var keys: Set<[UInt8]> = []
        var goesOn = try enter(end: end)
        while goesOn {
            guard next == UInt8(ascii: "\"") else { throw Stop() }
            if !keys.insert(try string()).inserted { broken.insert(.duplicateKey) }
            guard next == UInt8(ascii: ":") else { throw Stop() }
            index += 1
            try value()
            goesOn = self.goesOn(before: end)
        }
        try leave(end: end)
    }

    private mutating func array() throws(Stop) {
        let end = UInt8(ascii: "]")
        var goesOn = try enter(end: end)
        while goesOn {
            try value()
            goesOn = self.goesOn(before: end)
        }
        try leave(end: end)
    }

    /// Reads an opening bracket; says whether there is something inside.
    private mutating func enter(end: UInt8) throws(Stop) -> Bool {
        index += 1
        depth += 1
        if depth > depthLimit { broken.insert(.tooDeep) }
        if depth > Self.lastDepth { throw Stop() }
        return next != end
    }

    private mutating func leave(end: UInt8) throws(Stop) {
        guard next == end else { throw Stop() }
        index += 1
        depth -= 1
    }

    private mutating func goesOn(before end: UInt8) -> Bool {
        guard next == UInt8(ascii: ",") else { return false }
        index += 1
        guard next == end else { return true }
        broken.insert(.trailingComma)
        return false
    }

    private mutating func word(_ text: String) throws(Stop) {
        guard bytes[index...].starts(with: text.utf8) else { throw Stop() }
        index += text.utf8.count
    }
}

// MARK: Strings and numbers

extension ReferenceJSON {
    /// A string's text, unescaped.
    private mutating func string() throws(Stop) -> [UInt8] {
        var text: [UInt8] = []
        index += 1
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"): text += try escape()
            case 0..<0x20: throw Stop()
            default: text.append(byte)
            }
        }
        throw Stop()
    }

    private mutating func escape() throws(Stop) -> [UInt8] {
        guard let letter = peek else { throw Stop() }
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): break
        default: throw Stop()
        }
        let unit = try hexadecimal()
        guard (0xD800..<0xE000).contains(unit) else { return Self.utf8(unit) }
        let start = index
        if unit < 0xDC00, bytes[index...].starts(with: "\\u".utf8) {
            index += 2
            let low = try hexadecimal()
            if (0xDC00..<0xE000).contains(low) {
                return Self.utf8(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            }
        }
        index = start
        broken.insert(.loneSurrogate)
        return Self.utf8(0xFFFD)
    }

    private mutating func hexadecimal() throws(Stop) -> UInt32 {
        let digits = bytes[index...].prefix(4)
        guard digits.count == 4, !digits.contains(UInt8(ascii: "+")),
            !digits.contains(UInt8(ascii: "-")),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw Stop() }
        index += 4
        return value
    }

    private static func utf8(_ scalar: UInt32) -> [UInt8] {
        Unicode.Scalar(scalar).map { Array(String($0).utf8) } ?? []
    }

    private mutating func number() throws(Stop) {
        let start = index
        var isInteger = true
        if peek == UInt8(ascii: "-") { index += 1 }
        if peek == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if peek == UInt8(ascii: ".") {
            isInteger = false
            index += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isInteger = false
            index += 1
            if peek == UInt8(ascii: "-") || peek == UInt8(ascii: "+") { index += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        let isInRange =
            isInteger
            ? Int64(text) != nil || UInt64(text) != nil : Double(text)?.isFinite == true
        if !isInRange { broken.insert(.numberRange) }
    }

    private mutating func digits() throws(Stop) {
        let start = index
        while let byte = peek, (0x30...0x39).contains(byte) { index += 1 }
        if index == start { throw Stop() }
    }
}
