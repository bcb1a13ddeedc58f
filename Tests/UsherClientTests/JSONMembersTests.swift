// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherClient

struct JSONMembersTests {
    @Test func `Each member's value is found where it stands`() throws {
        let text = #" { "a" : [1,{"b":"]}"}] ,"b":"x\"y","c":-1.5e+3, "d":true,"e":{} } "#
        let bytes = Array(text.utf8)
        let members = try #require(JSONMembers(of: bytes))
        let expected = [
            "a": #"[1,{"b":"]}"}]"#, "b": #""x\"y""#, "c": "-1.5e+3", "d": "true", "e": "{}",
        ]
        for (name, value) in expected {
            let range = try #require(members[name])
            #expect(String(decoding: bytes[range], as: UTF8.self) == value)
        }
        #expect(members["f"] == nil)
        #expect(members["x"] == nil)
    }

    @Test func `A stretch of a buffer is looked at by itself`() throws {
        let bytes = Array(#"xx{"id":7}yy"#.utf8)
        let members = try #require(JSONMembers(of: bytes, in: 2..<10))
        #expect(members.integer("id") == 7)
        #expect(members["id"] == 8..<9)
    }

    @Test func `Whole numbers and plain strings are told from others`() throws {
        let text = #"{"a":12,"b":"12","c":1e1,"d":"x\n","e":null,"f":99999999999999999999,"g":""}"#
        let members = try #require(JSONMembers(of: Array(text.utf8)))
        #expect(members.integer("a") == 12)
        for name in ["b", "c", "d", "e", "f", "g", "h"] { #expect(members.integer(name) == nil) }
        #expect(members.plainString("b") == "12")
        #expect(members.plainString("g") == "")
        for name in ["a", "c", "d", "e", "h"] { #expect(members.plainString(name) == nil) }
    }

    @Test(arguments: [
        "", " ", "{", "}", "[]", "1", "null", "{}{}", "{} x", "{,}", #"{"a"}"#, #"{"a":}"#,
        #"{"a":1,}"#, #"{"a":1"b":2}"#, #"{a:1}"#, #"{"a":[}]}"#, #"{"a":[1}"#, #"{"a":"x}"#,
        #"{"a":"x\"}"#, "{\"a\":\"\n\"}", #"{"a":1]"#, #"{"a":{"b":"}}"#, #"{"a":@}"#, "{\"a",
        #"{"a":"\"#,
    ])
    func `What is not one whole object is refused`(text: String) {
        #expect(JSONMembers(of: Array(text.utf8)) == nil)
    }

    @Test func `No cut of an object is taken for one`() {
        let whole = Array(#"{"a":[1,{"b":"\\\"]}"}],"c":{"d":null},"e":"é"}"#.utf8)
        #expect(JSONMembers(of: whole) != nil)
        for count in 0..<whole.count { #expect(JSONMembers(of: whole, in: 0..<count) == nil) }
    }
}
