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
        unsafe copy(
            UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends text that is JSON already.
    @_disfavoredOverload
    package mutating func raw(_ text: String) {
        var text = text
        text.withUTF8 { unsafe copy(UnsafeRawBufferPointer($0)) }
    }

    /// Appends bytes that are JSON already.
    package mutating func raw(_ json: [UInt8]) {
        unsafe json.withUnsafeBytes { unsafe copy($0) }
    }

    /// Appends bytes that are JSON already.
    package mutating func raw(_ json: ArraySlice<UInt8>) {
        unsafe json.withUnsafeBytes { unsafe copy($0) }
    }

    /// Appends memory as it is; an array's own ways to append it take twice the instructions.
    private mutating func copy(_ source: UnsafeRawBufferPointer) {
        guard let start = source.baseAddress else { return }
        let size = source.count
        bytes.append(addingCapacity: size) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                guard let place = buffer.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(place + count).copyMemory(
                    from: start, byteCount: size)
                count += size
            }
        }
    }

    package mutating func integer(_ value: Int) { integer(Int64(value)) }

    // Not generic, since no caller in another module would get a version of its own.
    package mutating func integer(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        integer(value.magnitude)
    }

    package mutating func integer(_ value: UInt64) {
        var rest = value
        var first = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
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
            let utf8 = UnsafeRawBufferPointer(utf8)
            // Most texts have nothing to escape, and are copied whole.
            var copied = 0
            while let index = unsafe Self.firstSpecial(in: utf8, from: copied) {
                unsafe copy(UnsafeRawBufferPointer(rebasing: utf8[copied..<index]))
                unsafe escapeIfNeeded(utf8[index])
                copied = index + 1
            }
            unsafe copy(UnsafeRawBufferPointer(rebasing: utf8[copied...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Where the first byte is, from `start` on, that is escaped or may be the last of a character that is.
    ///
    /// Looks at eight bytes at a time: one by one, this took half of what an encoded user takes.
    private static func firstSpecial(
        in utf8: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        var index = start
        while index < utf8.count {
            if index + 8 <= utf8.count,
                hasOnlyPlainASCII(
                    unsafe utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            {
                index += 8
                continue
            }
            let end = min(index + 8, utf8.count)
            while index < end {
                if unsafe isSpecial(utf8[index]) { return index }
                index += 1
            }
        }
        return nil
    }

    /// Whether each of eight bytes is in ASCII and none is escaped.
    private static func hasOnlyPlainASCII(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        /// Not 0 if a byte of the word is 0; the bytes are below 0x80, or the answer is of no matter.
        func zeros(_ word: UInt64) -> UInt64 { word &- ones }
        let quotes = zeros(word ^ (ones &* UInt64(UInt8(ascii: "\""))))
        let slashes = zeros(word ^ (ones &* UInt64(UInt8(ascii: "\\"))))
        let deletes = zeros(word ^ (ones &* 0x7F))
        let controls = word &- (ones &* 0x20)
        return (word | quotes | slashes | deletes | controls) & (ones &* 0x80) == 0
    }

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
        case 0xA8 where isInSeparator: escape(0x2028, replacing: 2)
        case 0xA9 where isInSeparator: escape(0x2029, replacing: 2)
        default: bytes.append(byte)
        }
    }

    /// Whether the last two bytes are those that a line or paragraph separator begins with.
    private var isInSeparator: Bool {
        bytes.count >= 2 && bytes[bytes.count - 2] == 0xE2 && bytes[bytes.count - 1] == 0x80
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

    /// Appends the last digits of a number, at most 16, in lower case.
    mutating func hexadecimal(_ value: UInt64, digits: Int) {
        let text = (Self.digits(of: value >> 32), Self.digits(of: value & 0xFFFF_FFFF))
        unsafe withUnsafeBytes(of: text) { all in
            unsafe copy(UnsafeRawBufferPointer(rebasing: all[(16 - digits)...]))
        }
    }

    /// The eight hexadecimal digits of a number of 32 bits, as their bytes stand in memory.
    ///
    /// All at once: an answer and a push hold three cursors of 16 digits.
    private static func digits(of value: UInt64) -> UInt64 {
        // A byte for each half of one, the lowest first.
        var word = (value | value << 16) & 0x0000_FFFF_0000_FFFF
        word = (word | word << 8) & 0x00FF_00FF_00FF_00FF
        word = (word | word << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = (word &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let toLetter = UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
        word = word &+ 0x3030_3030_3030_3030 &+ letters &* toLetter
        return word.bigEndian
    }
}
