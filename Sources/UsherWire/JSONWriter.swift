// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Appends JSON as bytes, in the order of the calls: what the daemon sends and stores is built with this alone.
///
/// Text is escaped so that a line stays a line for every reader: control characters, U+007F, and the line separators
/// U+0085, U+2028 and U+2029 that some readers break at. `/` is not escaped.
package struct JSONWriter: Sendable {
    package var bytes: [UInt8] = []

    package init() {}

    /// Starts over and keeps the memory.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends text that is JSON already; a literal means this one, which costs a copy of its bytes and no text.
    package mutating func raw(_ text: StaticString) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends text that is JSON already.
    @_disfavoredOverload
    package mutating func raw(_ text: String) {
        var text = text
        text.withUTF8 { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends bytes that are JSON already.
    package mutating func raw(_ json: [UInt8]) {
        bytes.append(contentsOf: json)
    }

    package mutating func integer(_ value: some FixedWidthInteger) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = UInt64(value.magnitude)
        var first = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        var last = bytes.count - 1
        while first < last {
            bytes.swapAt(first, last)
            first += 1
            last -= 1
        }
    }

    /// Appends a finite number in the shortest form that reads back the same; others as `null`.
    package mutating func number(_ value: Double) {
        raw(value.isFinite ? value.description : "null")
    }

    package mutating func boolean(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    package mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Most texts have nothing to escape, and are copied whole.
            var copied = 0
            for index in utf8.indices where unsafe Self.isSpecial(utf8[index]) {
                unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[copied..<index]))
                unsafe escapeIfNeeded(utf8[index])
                copied = index + 1
            }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[copied...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a byte is escaped, or may be the last of a character that is.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0x85, 0xA8, 0xA9: true
        default: false
        }
    }

    /// Appends a byte of a string after those before it, escaped if it has to be.
    private mutating func escapeIfNeeded(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x0A: raw("\\n")
        case 0x0D: raw("\\r")
        case 0x09: raw("\\t")
        case 0..<0x20, 0x7F: escape(UInt16(byte), replacing: 0)
        case 0x85 where bytes.last == 0xC2: escape(0x0085, replacing: 1)
        case 0xA8 where bytes.suffix(2) == [0xE2, 0x80]: escape(0x2028, replacing: 2)
        case 0xA9 where bytes.suffix(2) == [0xE2, 0x80]: escape(0x2029, replacing: 2)
        default: bytes.append(byte)
        }
    }

    /// Appends a string, or `null`.
    package mutating func optionalString(_ text: String?) {
        if let text { string(text) } else { raw("null") }
    }

    /// Appends `\uXXXX` in place of the last `count` bytes, which began the same character.
    private mutating func escape(_ unit: UInt16, replacing count: Int) {
        bytes.removeLast(count)
        raw("\\u")
        hexadecimal(UInt64(unit), digits: 4)
    }

    /// Appends the last digits of a number, in lower case.
    mutating func hexadecimal(_ value: UInt64, digits: Int) {
        bytes.append(addingCapacity: digits) { output in
            for place in stride(from: digits - 1, through: 0, by: -1) {
                let digit = UInt8(truncatingIfNeeded: value >> UInt64(place * 4)) & 0xF
                output.append(
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}
