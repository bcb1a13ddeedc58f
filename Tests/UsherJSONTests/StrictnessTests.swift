// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherJSON

struct StrictnessTests {
    private let parser = JSONParser.ofLines()

    private func refusal(_ text: String) -> JSONSyntaxError? {
        parser.refusal(of: Array(text.utf8))
    }

    @Test(arguments: [
        "{}", "[]", " \t\r\n{ } ", "\"\"", "\"a\"", "0", "-1", "1.0", "1e3", "1E+3", "1e-3", "-0",
        "-0.0", "true", "false", "null", "[1,[2],{}]", #"{"a":{"b":[null]}}"#,
        #""\"\\\/\b\f\n\r\t\u0000\u00e9\ud83c\udfac""#, "\"\u{7F}\u{85}\u{2028}\u{FEFF}\"",
    ])
    func `What RFC 8259 allows is taken`(text: String) {
        #expect(refusal(text) == nil)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "]", "[[]", "{\"a\"", "{\"a\":", "{\"a\":1", "\"a", "\"a\\\"",
        "{\"a\":1,}", "[1,]", "[,1]", "[1,,2]", "[1 2]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{1:2}",
        "{a:1}", "{'a':1}", "['a']", "{\"a\":1}}", "[1]]", "{} {}", "{}x", "{},", "1 2", "tru",
        "True", "nul", "nulll", "NaN", "Infinity", "undefined", "// c\n1", "/* c */1", "+1", ".5",
        #""\x""#, #""\'""#, #""\u12""#, #""\u12G4""#, #""\U0041""#, "{\"a\";1}", "(1)",
    ])
    func `What RFC 8259 does not allow is malformed`(text: String) {
        #expect(refusal(text) == .malformed)
    }

    @Test(arguments: [
        #""\ud800""#, #""\udbff""#, #""\udc00""#, #""\ud800a""#, #""\ud800\u0041""#,
        #""\ud800\ud800""#, #""\udc00\ud800""#, #""\ud83c\n\udfac""#, #"{"\udc00":1}"#,
    ])
    func `Half of a surrogate pair is malformed`(text: String) {
        #expect(refusal(text) == .malformed)
    }

    @Test(arguments: Array(UInt8(1)..<0x20))
    func `A raw control character in a text is malformed`(character: UInt8) {
        let text = Array("[\"a".utf8) + [character] + Array("b\"]".utf8)
        #expect(parser.refusal(of: text) == .malformed)
    }

    @Test func `A byte order mark is malformed`() {
        #expect(refusal("\u{FEFF}{}") == .malformed)
        #expect(refusal("{}\u{FEFF}") == .malformed)
    }

    @Test func `UTF-16 is refused at the first byte that shows it`() {
        let text = "{\"a\":1}"
        let littleEndian = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let bigEndian = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(parser.refusal(of: littleEndian) == .nulByte(offset: 1))
        #expect(parser.refusal(of: bigEndian) == .nulByte(offset: 0))
        #expect(parser.refusal(of: [0xFF, 0xFE] + littleEndian) == .invalidUTF8(offset: 0))
        #expect(parser.refusal(of: [0xFE, 0xFF] + bigEndian) == .invalidUTF8(offset: 0))
    }

    @Test func `A NUL is found wherever it stands`() {
        let line = Array(#"{"ab":[1,"c"],"d":null}"#.utf8)
        for offset in 0...line.count {
            let text = line[..<offset] + [0] + line[offset...]
            #expect(parser.refusal(of: Array(text)) == .nulByte(offset: offset))
        }
        #expect(parser.refusal(of: Array("1\0".utf8)) == .nulByte(offset: 1))
        #expect(parser.refusal(of: [0, 0]) == .nulByte(offset: 0))
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("-1", -1), ("9223372036854775807", .max),
            ("-9223372036854775808", .min),
        ] as [(String, Int64)])
    func `An integer of 64 bits is one`(text: String, value: Int64) throws {
        #expect(try parser.document(Array(text.utf8)) == .integer(value))
    }

    @Test(arguments: [
        "1.0", "-1.0", "-0.0", "1e3", "1E3", "0e0", "9223372036854775808", "18446744073709551615",
        "1e308", "1e-400", "0.1",
    ])
    func `Any other number is no integer`(text: String) throws {
        #expect(try parser.document(Array(text.utf8)) == .number)
    }

    @Test(arguments: [
        "1e400", "-1e400", "18446744073709551616", "-9223372036854775809",
        "100000000000000000000000", "01", "-01", "00", "1.", "-", "1e", "1e+", "1.e1", "-a", "1a",
        "0x10", "1_000", "--1", "1;",
    ])
    func `A number that 64 bits do not hold, or that is written wrong, is refused`(text: String) {
        #expect(refusal(text) == .badNumber)
        #expect(refusal("[\(text)]") == .badNumber)
        #expect(refusal("{\"a\":\(text),\"b\":1}") == .badNumber)
    }

    @Test func `Nesting passes to 32 levels and no further`() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ depth: Int) -> String {
                String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
            }
            for depth in [1, 31, 32] { #expect(refusal(nested(depth)) == nil) }
            for depth in [33, 34, 1_000] { #expect(refusal(nested(depth)) == .tooDeep) }
        }
        #expect(refusal(String(repeating: "[]", count: 33)) == .malformed)
        #expect(refusal("[" + String(repeating: #""[{\"{\\","#, count: 33) + "]") == .malformed)
        let wide = "[" + Array(repeating: "[[[]]]", count: 1_000).joined(separator: ",") + "]"
        #expect(refusal(wide) == nil)
    }

    @Test func `A hundred thousand brackets cost no stack`() {
        let parser = JSONParser(capacity: 200_000, depth: 32)
        for bracket in ["[", "{\"a\":"] {
            let line = Array(String(repeating: bracket, count: 100_000).utf8.prefix(200_000))
            #expect(parser.refusal(of: line) == .tooDeep)
        }
    }

    @Test func `A line beyond the parser's capacity is refused`() {
        let parser = JSONParser(capacity: 16, depth: 4)
        #expect(parser.refusal(of: Array("[11111111111111]".utf8)) == nil)
        #expect(parser.refusal(of: Array("[111111111111111]".utf8)) == .malformed)
    }
}

struct InvalidUTF8Tests {
    private let parser = JSONParser.ofLines()

    @Test func `A byte that UTF-8 has not is found at each place of a line`() {
        let line = Array(#"{"ab":[1,"cé中🎬"],"d":null}"#.utf8)
        var start = 0
        for offset in 0...line.count {
            if offset == line.count || line[offset] & 0xC0 != 0x80 { start = offset }
            let text = Array(line[..<offset]) + [0xFF] + Array(line[offset...])
            #expect(parser.refusal(of: text) == .invalidUTF8(offset: start), "put in at \(offset)")
        }
    }

    @Test func `A byte that is replaced is found at each place of a line`() {
        let line = Array(#"{"ab":[1,"cé中🎬"],"d":null}"#.utf8)
        var start = 0
        for offset in line.indices {
            if line[offset] & 0xC0 != 0x80 { start = offset }
            var text = line
            text[offset] = 0xFF
            #expect(parser.refusal(of: text) == .invalidUTF8(offset: start), "put at \(offset)")
        }
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF],
            [0xE4, 0xB8], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x8E], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func `Every kind of bad sequence is found, across the blocks that the parser reads`(
        sequence: [UInt8]
    ) {
        for before in 0...70 {
            let line = [0x22] + Array(repeating: 0x61, count: before) + sequence + [0x22]
            #expect(parser.refusal(of: line) == .invalidUTF8(offset: before + 1))
        }
    }

    @Test func `A character cut short by the end of the line is found at its start`() {
        for character in ["é", "中", "🎬"] {
            let bytes = Array(character.utf8)
            for kept in 1..<bytes.count {
                let line = Array("[\"a".utf8) + bytes[..<kept]
                #expect(parser.refusal(of: line) == .invalidUTF8(offset: 3))
            }
        }
    }

    @Test func `Bad UTF-8 is reported before whatever else is wrong`() {
        for text in ["{\"a\":1,", "[1,]\"", "\"\t", "[01,\"", "x \""] {
            let line = Array(text.utf8) + [0xC3]
            #expect(parser.refusal(of: line) == .invalidUTF8(offset: line.count - 1), "\(text)")
        }
    }

    @Test func `The last and the first of each length are valid`() {
        for scalar in [
            "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}",
            "\u{10000}", "\u{10FFFF}",
        ] {
            #expect(parser.refusal(of: Array("\"\(scalar)\"".utf8)) == nil)
        }
    }
}
