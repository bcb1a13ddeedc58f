// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherJSON

struct DuplicateKeyTests {
    private let parser = JSONParser.ofLines()

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, 7), (#"{"a":1,"b":2,"a":3}"#, 13), (#"{"":1,"":2}"#, 6),
        (#"[[[{"a":1,"a":2}]]]"#, 10), (#"{"x":{"y":[{"a":1,"b":{"c":1,"c":2}}]}}"#, 29),
        (#"{"a":{"a":1},"a":2}"#, 13), (#"[{"a":1},{"b":1,"b":1}]"#, 16),
        (#"{"a":[1,[2],{"z":3}],"b":1,"a":1}"#, 27),
    ])
    func `A key that an object has twice is found at any depth`(line: String, offset: Int) throws {
        #expect(try parser.duplicate(in: line) == offset)
    }

    @Test(arguments: [
        "{}", "[]", "1", #""a""#, #"{"a":1}"#, #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#,
        #"{"a":"a","b":"a"}"#, #"{"a":["a","a"]}"#, #"{"a":1,"A":2,"a ":3,"":4}"#,
        #"{"ab":1,"abc":2,"a":3}"#,
    ])
    func `The same text elsewhere is no duplicate`(line: String) throws {
        #expect(try parser.duplicate(in: line) == nil)
    }

    @Test(arguments: [
        #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"/":1,"\/":2}"#, #"{"\n":1,"\u000a":2}"#,
        #"{"🎬":1,"\ud83c\udfac":2}"#, #"{"\u00e9":1,"\u00E9":2}"#, #"{"\u0000":1,"\u0000":2}"#,
    ])
    func `Keys that are equal after unescaping are duplicates`(line: String) throws {
        #expect(try parser.duplicate(in: line) != nil)
    }

    @Test func `Canonical equivalents are different keys`() throws {
        // Swift holds each pair for equal; other languages do not, and neither does JSON.
        for (left, right) in [
            ("\u{E9}", "e\u{301}"), ("\u{212B}", "\u{C5}"), ("\u{37E}", ";"), ("\u{212A}", "K"),
            ("\u{AC00}", "\u{1100}\u{1161}"),
        ] {
            #expect(left == right)
            #expect(try parser.duplicate(in: "{\"\(left)\":1,\"\(right)\":2}") == nil)
            let many = (0..<20).map { "\"\($0)\":0," }.joined()
            #expect(try parser.duplicate(in: "{\(many)\"\(left)\":1,\"\(right)\":2}") == nil)
        }
    }

    @Test func `A duplicate is found in objects of every size, at every place`() throws {
        for count in [2, 3, 15, 16, 17, 18, 19, 33] {
            let keys = (0..<count).map { "\"k\($0)\":[\($0)]" }
            #expect(try parser.duplicate(in: "{" + keys.joined(separator: ",") + "}") == nil)
            for second in 1..<count {
                for first in 0..<second {
                    var members = keys
                    members[second] = "\"k\(first)\":[0]"
                    let before = "{" + members[..<second].map { $0 + "," }.joined()
                    let line = before + members[second...].joined(separator: ",") + "}"
                    #expect(
                        try parser.duplicate(in: line) == before.utf8.count,
                        "\(count) keys, \(first) again at \(second)")
                }
            }
        }
    }

    @Test func `A large object within a large object is searched too`() throws {
        let keys = (0..<40).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(try parser.duplicate(in: "{\(keys),\"in\":[{\(keys)}]}") == nil)
        let line = "{\(keys),\"in\":[{\(keys),\"k39\":0}]}"
        #expect(try parser.duplicate(in: line) == 2 * keys.utf8.count + 10)
    }

    @Test func `An object of as many keys as a line holds is searched`() throws {
        let keys = (0..<7_000).map { "\"\($0)\":0" }
        let line = "{" + keys.joined(separator: ",") + ",\"6999\":0}"
        #expect(line.utf8.count < 65_536)
        #expect(try parser.duplicate(in: line) == line.utf8.count - 9)
    }
}
