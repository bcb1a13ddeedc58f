// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherWire

private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

struct JSONWriterTests {
    @Test(arguments: [
        ("", #""""#),
        ("plain / text", #""plain / text""#),
        ("\"\\", #""\"\\""#),
        ("\n\r\t", #""\n\r\t""#),
        ("\0\u{1}\u{8}\u{B}\u{C}\u{1F}", #""\u0000\u0001\u0008\u000b\u000c\u001f""#),
        ("\u{7F}\u{80}", "\"\\u007f\u{80}\""),
        ("a\u{85}b", #""a\u0085b""#),
        ("\u{2027}\u{2028}\u{2029}\u{202A}", "\"\u{2027}\\u2028\\u2029\u{202A}\""),
        ("\u{2028}\u{2028}\u{85}\u{85}", #""\u2028\u2028\u0085\u0085""#),
        ("中🎬e\u{301}", "\"中🎬e\u{301}\""),
        // Their UTF-8 ends as that of U+0085, U+2028 and U+2029 does.
        ("Å\u{A8}\u{A9}₨\u{1028}\u{10028}", "\"Å\u{A8}\u{A9}₨\u{1028}\u{10028}\""),
    ])
    func `Text is escaped where a reader could break the line, and nowhere else`(
        text: String, expected: String
    ) {
        #expect(written { $0.string(text) } == expected)
    }

    @Test func `Every character reads back as itself, and none that ends a line is left`() throws {
        var text = String.UnicodeScalarView()
        for value in UInt32(0)...0x10FFFF {
            // All of the first plane, and a sample of the others.
            guard value < 0x10000 || value % 97 == 0 else { continue }
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        }
        let json = written { $0.string(String(text)) }
        let endsLine: Set<UInt32> = [0x7F, 0x85, 0x2028, 0x2029]
        #expect(!json.unicodeScalars.contains { $0.value < 0x20 || endsLine.contains($0.value) })
        let back = try JSONDecoder().decode(String.self, from: Data(json.utf8))
        #expect(back.unicodeScalars.elementsEqual(text))
    }

    @Test func `A byte is seen wherever it stands among others`() {
        for value in UInt8(0)...0x7F {
            let scalar = String(Unicode.Scalar(value))
            let escaped = written { $0.string(scalar) }.dropFirst().dropLast()
            for before in 0..<9 {
                for after in [0, 7, 8] {
                    for filler in ["x", "é"] {
                        let head = String(repeating: filler, count: before)
                        let tail = String(repeating: filler, count: after)
                        let json = written { $0.string(head + scalar + tail) }
                        #expect(json == "\"\(head)\(escaped)\(tail)\"")
                    }
                }
            }
        }
    }

    @Test func `A cursor has all digits of its epoch`() {
        for value in [
            0, 1, 0xF, 0x9A, 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, 0x8000_0000, UInt64.max,
        ] {
            let cursor = Cursor(epoch: Epoch(value: value), revision: value)
            #expect(written { $0.cursor(cursor) } == "\"\(cursor)\"")
        }
    }

    @Test func `Integers are written whole at both ends of their types`() {
        #expect(written { $0.integer(0) } == "0")
        #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
        #expect(written { $0.integer(Int64.max) } == "9223372036854775807")
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(written { $0.integer(-10) } == "-10")
    }

    @Test(arguments: [
        0.0, -0.0, 0.1, 7.25, 1e15, 1e16, 1e21, 1e-7, .leastNonzeroMagnitude,
        .greatestFiniteMagnitude, .pi, -1e300,
    ])
    func `A finite number reads back the same`(value: Double) throws {
        let json = written { $0.number(value) }
        let back = try JSONDecoder().decode(Double.self, from: Data(json.utf8))
        #expect(back.bitPattern == value.bitPattern, "\(json)")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `A number that JSON has not is written as null`(value: Double) {
        #expect(written { $0.number(value) } == "null")
    }

    @Test func `Members of other kinds are written as JSON has them`() {
        #expect(written { $0.boolean(true) } == "true")
        #expect(written { $0.boolean(false) } == "false")
        #expect(written { $0.optionalString(nil) } == "null")
        #expect(written { $0.optionalString("a\n") } == #""a\n""#)
        #expect(written { $0.raw([0x5B, 0x5D]) } == "[]")
    }

    @Test func `Calls append in order, and a reset starts over with the memory kept`() {
        var writer = JSONWriter()
        writer.raw("[")
        writer.integer(1)
        writer.raw(",")
        writer.string("a")
        writer.raw("]")
        #expect(writer.bytes == Array(#"[1,"a"]"#.utf8))
        let capacity = writer.bytes.capacity
        writer.reset()
        #expect(writer.bytes.isEmpty)
        #expect(writer.bytes.capacity == capacity)
    }
}
