// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherJSON

struct NavigationTests {
    private let parser = JSONParser.ofLines()

    @Test func `Containers within containers are read in order`() throws {
        let line = #" { "a" : [ 1 , [ ] , { } , [ [ "x" ] , -2 ] , { "b" : null } ] , "" : true } "#
        #expect(
            try parser.document(Array(line.utf8))
                == .object([
                    .init(
                        "a",
                        .array([
                            .integer(1), .array([]), .object([]),
                            .array([.array([.text("x")]), .integer(-2)]),
                            .object([.init("b", .null)]),
                        ])),
                    .init("", .boolean(true)),
                ]))
    }

    @Test func `Every value knows where it began`() throws {
        let line = #" {"a\u0062" :[1,  "é" ,-2.5],"c":{ }, "d": [true,null] }"#
        let bytes = Array(line.utf8)
        try parser.parse(bytes.span)
        var places: [(Int, String)] = []
        func visit(_ node: JSONNode) {
            let offset = parser.offset(node)
            places.append((offset, String(decoding: [bytes[offset]], as: UTF8.self)))
            var next = parser.firstChild(node)
            while let child = next {
                if parser.kind(node) == .object {
                    let value = parser.value(ofKey: child)
                    places.append(
                        (
                            parser.offset(child),
                            String(decoding: [bytes[parser.offset(child)]], as: UTF8.self)
                        ))
                    visit(value)
                    next = parser.sibling(after: value, in: node)
                } else {
                    visit(child)
                    next = parser.sibling(after: child, in: node)
                }
            }
        }
        visit(parser.root)
        #expect(places.map(\.0) == [1, 2, 13, 14, 18, 24, 30, 34, 39, 44, 45, 50])
        #expect(
            places.map(\.1) == ["{", "\"", "[", "1", "\"", "-", "\"", "{", "\"", "[", "t", "n"])
    }

    @Test(arguments: [
        "0", "-7", "0.5", "-1.25e1", "1E+3", "7.0", "0.1", "9007199254740993",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "18446744073709551615", "2.2250738585072011e-308", "5e-324", "1.7976931348623157e308",
        "123456789012345678901234567890.0", "1e-400",
    ])
    func `A number is the nearest Double, however it is written`(text: String) throws {
        try parser.parse(Array("[\(text),\(text)]".utf8).span)
        let first = try #require(parser.firstChild(parser.root))
        let second = try #require(parser.sibling(after: first, in: parser.root))
        #expect(parser.number(first) == Double(text))
        #expect(parser.number(second) == Double(text))
    }

    /// Not as many steps as there are values and levels, which would take minutes.
    @Test(.timeLimit(.minutes(1)))
    func `A document that is deep and wide takes no longer than one that is wide`() throws {
        let depth = 40_000
        let count = 3_000_000
        let parser = JSONParser(capacity: 2 * (depth + count), depth: depth)
        let line =
            String(repeating: "[", count: depth)
            + Array(repeating: "0", count: count).joined(separator: ",")
            + String(repeating: "]", count: depth)
        try parser.parse(Array(line.utf8).span)
        var innermost = parser.root
        for _ in 1..<depth { innermost = try #require(parser.firstChild(innermost)) }
        #expect(parser.count(ofArray: innermost) == count)
    }

    @Test func `An outermost value that is no container has no children`() throws {
        for (text, kind) in [
            ("1", JSONKind.integer), ("1.5", .number), ("\"a\"", .string), ("true", .boolean),
            ("null", .null),
        ] {
            try parser.parse(Array("  \(text) ".utf8).span)
            #expect(parser.kind(parser.root) == kind)
            #expect(parser.offset(parser.root) == 2)
            #expect(parser.firstChild(parser.root) == nil)
        }
    }

    @Test func `An array knows how many values it has, whatever is in them`() throws {
        for (text, count) in [("[]", 0), ("[[]]", 1), ("[[1,2],{\"a\":[3]},4]", 3)] {
            try parser.parse(Array(text.utf8).span)
            #expect(parser.count(ofArray: parser.root) == count)
        }
    }

    @Test func `A text is compared byte by byte after unescaping`() throws {
        try parser.parse(Array(#"["method","m\u0065thod","methods","","\u0000a"]"#.utf8).span)
        var nodes: [JSONNode] = []
        var next = parser.firstChild(parser.root)
        while let node = next {
            nodes.append(node)
            next = parser.sibling(after: node, in: parser.root)
        }
        #expect(nodes.map { parser.text($0, is: "method") } == [true, true, false, false, false])
        #expect(nodes.map { parser.text($0, is: "") } == [false, false, false, true, false])
        #expect(nodes.map { parser.textLength($0) } == [6, 6, 7, 0, 2])
        #expect(parser.sameText(nodes[0], nodes[1]))
        #expect(!parser.sameText(nodes[0], nodes[2]))
        #expect(!parser.sameText(nodes[0], nodes[3]))
        #expect(parser.string(nodes[4]) == "\0a")
    }

    @Test func `Escapes of every kind are taken away`() throws {
        let line = #""\"\\\/\b\f\n\r\t\u0000\u00e9\u00E9\ud83c\udfac\u2028""#
        #expect(
            try parser.document(Array(line.utf8))
                == .text("\"\\/\u{8}\u{C}\n\r\t\0éé🎬\u{2028}"))
    }

    @Test func `A key is one of its object's own, not of what is in it`() throws {
        try parser.parse(Array(#"{"a":{"b":1},"c":[{"d":2}]}"#.utf8).span)
        let a = try #require(parser.firstChild(parser.root))
        let inner = parser.value(ofKey: a)
        let b = try #require(parser.firstChild(inner))
        #expect(parser.isKey(a, of: parser.root))
        #expect(!parser.isKey(b, of: parser.root))
        #expect(parser.isKey(b, of: inner))
        #expect(!parser.isKey(inner, of: parser.root))
    }

    @Test func `The longest lines are read, of one value or of very many`() throws {
        let text = String(repeating: "x", count: 65_533)
        #expect(try parser.document(Array("\"\(text)\"".utf8)) == .text(text))
        let many = "[" + Array(repeating: "0", count: 32_767).joined(separator: ",") + "]"
        #expect(many.utf8.count == 65_535)
        #expect(
            try parser.document(Array(many.utf8))
                == .array(Array(repeating: .integer(0), count: 32_767)))
        let empties = "[" + Array(repeating: "[]", count: 21_844).joined(separator: ",") + "]"
        #expect(
            try parser.document(Array(empties.utf8))
                == .array(Array(repeating: .array([]), count: 21_844)))
        let blank = String(repeating: " ", count: 65_533) + "[]"
        #expect(try parser.document(Array(blank.utf8)) == .array([]))
        #expect(parser.offset(parser.root) == 65_533)
    }

    @Test func `A parser is as new after every line, good or bad`() throws {
        let long = "[" + Array(repeating: "\"abc\"", count: 9_000).joined(separator: ",") + "]"
        for bad in ["[1,", "\"\u{1}\"", "[1e999]", String(repeating: "[", count: 40), "\0", "{]"] {
            #expect(
                try parser.document(Array(#"{"a":[1]}"#.utf8))
                    == .object([.init("a", .array([.integer(1)]))]))
            #expect(parser.refusal(of: Array(bad.utf8)) != nil)
            try parser.parse(Array(long.utf8).span)
            #expect(parser.count(ofArray: parser.root) == 9_000)
        }
    }
}
