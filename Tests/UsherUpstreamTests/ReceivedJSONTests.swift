// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherUpstream

struct ReceivedJSONTests {
    /// What a value is read as, all forms of it.
    private func shown(_ value: ReceivedValue) -> String {
        if value.isNull { return "null" }
        if let text = value.text { return "text \(text.unicodeScalars.map(\.value))" }
        if let boolean = value.boolean { return "\(boolean)" }
        if let elements = value.elements {
            return "[\(elements.map(shown).joined(separator: " "))]"
        }
        if value.members != nil { return "object" }
        let integer = value.integer.map { "\($0)" } ?? "no integer"
        return "\(integer), \(value.number.map { "\($0)" } ?? "no number")"
    }

    private func read(_ text: String) -> String? { read(Array(text.utf8)) }

    private func read(_ text: [UInt8]) -> String? {
        ReceivedJSON(text).map { shown($0.root) }
    }

    @Test(arguments: [
        ("null", "null"), ("true", "true"), (" false\n", "false"), (#""""#, "text []"),
        (#""\u00e9\ud83c\udfac\u0000""#, "text [233, 127916, 0]"), ("[]", "[]"), ("{}", "object"),
        ("[[1],[]]", "[[1, 1.0] []]"), ("[null,true]", "[null true]"),
        (#"{"a":[1]}"#, "object"), ("0", "0, 0.0"), ("-7", "-7, -7.0"), ("7.0", "7, 7.0"),
        ("1E+2", "100, 100.0"), ("0.5", "no integer, 0.5"), ("-0.0", "0, -0.0"),
        ("9223372036854775807", "9223372036854775807, 9.223372036854776e+18"),
        ("9223372036854775808", "no integer, 9.223372036854776e+18"),
        ("9007199254740991.0", "9007199254740991, 9007199254740991.0"),
        // Which of two whole numbers it was cannot be told any more.
        ("9007199254740993.0", "no integer, 9007199254740992.0"), ("1e18", "no integer, 1e+18"),
    ])
    func `A value is read in the forms it has`(text: String, value: String) {
        #expect(read(text) == value)
    }

    @Test(arguments: [
        "18446744073709551616", "-9223372036854775809", "99999999999999999999",
        "123456789012345678901234567890", "-98765432109876543210987654321",
    ])
    func `A whole number too long for 64 bits is a number still`(text: String) throws {
        let number = try #require(Double(text))
        #expect(read(text) == "no integer, \(number)")
        #expect(read("[\(text),1]") == "[no integer, \(number) 1, 1.0]")
    }

    @Test(arguments: [
        "1e999", "-1e309", "07", "00", "01.5", "1.", "1e", "1e+", "-", "--1", "1.5.5", "1e5.0",
        #""\ud800""#, #""\udc00a""#, #""\ud83c\ud83c""#, #""\x""#, #""\u12""#, #""\u+123""#,
        "\"\u{1}\"", "\"a\n\"", "\"\u{0}\"",
        String(repeating: "9", count: 400),
    ])
    func `A value that is broken in itself is none of any form, and costs nothing else`(
        text: String
    ) {
        #expect(read("[1,\(text),\"b\"]") == "[1, 1.0 object text [98]]")
        #expect(read(#"[{"a":\#(text)},2 , \#(text) ]"#) == "[object 2, 2.0 object]")
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE9],
        ] as [[UInt8]])
    func `A text that is no UTF-8 is broken in itself`(bytes: [UInt8]) {
        #expect(
            read(Array("[1,\"a".utf8) + bytes + Array("\",2]".utf8)) == "[1, 1.0 object 2, 2.0]")
        // Outside of a text, there is no telling what was meant.
        #expect(read(Array("[1,".utf8) + bytes + Array(",2]".utf8)) == nil)
    }

    @Test func `A comma behind the last value is passed over, no other`() {
        #expect(read("[1,]") == "[1, 1.0]")
        #expect(read("[[1 , \n ] , ]") == "[[1, 1.0]]")
        #expect(read(#"{"a":1,}"#) == "object")
        for text in ["[,]", "{,}", "[1,,]", "[,1]", "[1,", #"{"a":,}"#, "1,", "[1],"] {
            #expect(read(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        "", " ", "[", "]", "[1", "[1}", "[1 2]", "{\"a\"}", "{1:2}", "{\"a\" 1}", "tru", "nul",
        "True", "NaN", "Infinity", "-Infinity", "+1", ".5", "0x10", "1_0", "'x'", "/**/1", "1 2",
        "[1]]", "{} {}", "[1]x", "\"x", "\"\\\"", "\u{FEFF}1", "[1]\0", "\u{B}1", "\u{A0}1",
    ])
    func `What is no JSON besides is nothing`(text: String) {
        #expect(read(text) == nil)
    }

    @Test func `UTF-16 and UTF-32 are not taken for UTF-8`() {
        for width in [2, 4] {
            var text: [UInt8] = []
            for byte in "[1]".utf8 { text += [byte] + Array(repeating: 0, count: width - 1) }
            #expect(read(text) == nil)
            #expect(read(Array(text.reversed())) == nil)
        }
    }

    @Test func `Nesting passes to 512 levels and no further, finished or not`() {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), ("[0,", "]")] {
            for depth in [511, 512] {
                let text =
                    String(repeating: open, count: depth) + "0"
                    + String(repeating: close, count: depth)
                #expect(read(text) != nil)
                #expect((read(#"["\ud800",\#(text)]"#) != nil) == (depth < 512))
            }
            for depth in [513, 514, 1_000, 20_000] {
                let start = String(repeating: open, count: depth)
                #expect(read(start + "0" + String(repeating: close, count: depth)) == nil)
                #expect(read(start) == nil)
                #expect(read(start + "1e999") == nil)
            }
        }
    }

    @Test func `Of two members of a name the first counts, null too`() {
        func member(_ text: String) -> String? {
            ReceivedJSON(Array(text.utf8))?.root.members?["a"].map(shown)
        }
        #expect(member(#"{"a":1,"a":2}"#) == "1, 1.0")
        #expect(member(#"{"b":1,"\u0061":2,"a":3}"#) == "2, 2.0")
        #expect(member(#"{"a":null,"a":2}"#) == nil)
        #expect(member(#"{"A":1,"a ":2,"":3}"#) == nil)
        #expect(member(#"{"b":{"a":1}}"#) == nil)
        #expect(member(#"[{"a":1}]"#) == nil)
    }

    @Test(arguments: [#""\ud800""#, #""\x""#, "\"\u{1}\"", #""a\udc00b""#])
    func `An object of which a key is no text is none, whatever is around it or in it`(
        key: String
    ) throws {
        let text = #"{"a":{\#(key):1,"b":2},"c":{"d":{\#(key) : 1}},"e":[\#(key)]}"#
        let members = try #require(ReceivedJSON(Array(text.utf8))?.root.members)
        let first = try #require(members["a"])
        #expect(first.members == nil)
        #expect(members["c"]?.members?["d"]?.isNull == false)
        #expect(members["c"]?.members?["d"]?.members == nil)
        #expect(members["e"].map(shown) == "[object]")
    }

    @Test func `An array of whole numbers has nothing else in it`() {
        func integers(_ text: String) -> [Int64]? { ReceivedJSON(Array(text.utf8))?.root.integers }
        #expect(integers("[]") == [])
        #expect(integers("[1,-2,3.0]") == [1, -2, 3])
        for text in ["[1.5]", "[null]", "[1,\"2\"]", "[[1]]", "[1e999]", "{}", "1", "[true]"] {
            #expect(integers(text) == nil, "\(text)")
        }
    }

    @Test func `Much that is broken takes time for its length only`() {
        let count = 5_000
        for piece in ["-", "\"\u{1}\"", "1e999", "99999999999999999999", "[1, ]"] {
            let text = "[" + Array(repeating: piece, count: count).joined(separator: " , ") + "]"
            let elements = ReceivedJSON(Array(text.utf8))?.root.elements
            #expect(elements.map { $0.reduce(0) { count, _ in count + 1 } } == count)
        }
        let blanks = String(repeating: " ", count: count)
        #expect(read("[\(blanks)1\(blanks),\(blanks)]\(blanks)") == "[1, 1.0]")
    }
}
