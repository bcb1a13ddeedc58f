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

    /// Appends text that is JSON already.
    @inline(__always)
    package mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends bytes that are JSON already.
    package mutating func raw(_ json: [UInt8]) {
        bytes.append(contentsOf: json)
    }

    package mutating func integer(_ value: some FixedWidthInteger) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var magnitude = UInt64(value.magnitude)
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(magnitude % 10))
            magnitude /= 10
        } while magnitude > 0
        bytes[start...].reverse()
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
        var previous: UInt8 = 0
        var beforePrevious: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): raw("\\\"")
            case UInt8(ascii: "\\"): raw("\\\\")
            case 0x0A: raw("\\n")
            case 0x0D: raw("\\r")
            case 0x09: raw("\\t")
            case 0..<0x20, 0x7F: escape(UInt16(byte), replacing: 0)
            case 0x85 where previous == 0xC2: escape(0x0085, replacing: 1)
            case 0xA8 where previous == 0x80 && beforePrevious == 0xE2:
                escape(0x2028, replacing: 2)
            case 0xA9 where previous == 0x80 && beforePrevious == 0xE2:
                escape(0x2029, replacing: 2)
            default: bytes.append(byte)
            }
            beforePrevious = previous
            previous = byte
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a string, or `null`.
    package mutating func optionalString(_ text: String?) {
        if let text { string(text) } else { raw("null") }
    }

    /// Appends `\uXXXX` in place of the last `count` bytes, which began the same character.
    private mutating func escape(_ unit: UInt16, replacing count: Int) {
        bytes.removeLast(count)
        raw("\\u")
        for shift in [12, 8, 4, 0] {
            let digit = UInt8(unit >> UInt16(shift) & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
