// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

@testable import UsherDaemon

/// The read that is recognised without a parser means what the parser makes of it, or is left to the parser.
struct UserReadTests {
    private let binder = RequestBinder()

    /// The id of a line that is recognised.
    private func id(_ line: String) -> String? {
        let bytes = Array(line.utf8)
        let read = UserRead(bytes.span)
        var known = KnownUserRead()
        #expect(known.recognise(bytes.span)?.id == read?.id)
        return read.map { String(decoding: bytes[$0.id], as: UTF8.self) }
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"method":"user.get"}"#, "1"),
        (#"{"method":"user.get","id":"a b","jsonrpc":"2.0"}"#, #""a b""#),
        (#"{"id":123456789012345,"method":"user.get"}"#, "123456789012345"),
        (#" { "jsonrpc" : "2.0" , "id" : 7 , "method" : "user.get" } "#, "7"),
        (#"{"id":"","method":"user.get"}"#, #""""#),
    ])
    func `A plain read of the own user is recognised`(line: String, expected: String) {
        #expect(id(line) == expected)
    }

    @Test(arguments: [
        #"{"id":1,"method":"user.gets"}"#, #"{"id":1,"method":"user.ge"}"#, #"{"id":1}"#,
        #"{"method":"user.get"}"#, #"{"id":null,"method":"user.get"}"#,
        #"{"id":0,"method":"user.get"}"#, #"{"id":01,"method":"user.get"}"#,
        #"{"id":-1,"method":"user.get"}"#, #"{"id":1.0,"method":"user.get"}"#,
        #"{"id":1234567890123456,"method":"user.get"}"#, #"{"id":1,"id":2,"method":"user.get"}"#,
        #"{"id":1,"method":"user.get","method":"user.get"}"#, #"{"id":1,"method":"user.get",}"#,
        #"{"id":1,"method":"user.get","params":{}}"#, #"{"id":1,"method":"user.get"}}"#,
        #"{"id":"a\"","method":"user.get"}"#, #"{"id":"ä","method":"user.get"}"#,
        #"{"id":1,"method":"user\u002eget"}"#, #"{"jsonrpc":"2.1","id":1,"method":"user.get"}"#,
        #"{"id":1,"method":"user.get""#, #"{"id":1,"method":"user.get"#, "{", "", #"["#,
        "{\"\0id\":1,\"method\":\"user.get\"}", #"{"id":1"method":"user.get"}"#, "1", #""a""#,
    ])
    func `Whatever else stands in a line is left to the parser`(line: String) {
        #expect(id(line) == nil)
    }

    @Test func `An id of the longest length is recognised, and none of one more`() {
        let longest = String(repeating: "i", count: Limits.idBytes)
        #expect(id(#"{"id":"\#(longest)","method":"user.get"}"#) == #""\#(longest)""#)
        #expect(id(#"{"id":"\#(longest)i","method":"user.get"}"#) == nil)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":12,"method":"user.get"}"#,
        #"{ "method": "user.get", "id": "ab", "jsonrpc": "2.0" }"#,
    ])
    func `Any other byte at any place, or one more or less, means the same to both`(line: String) {
        let line = Array(line.utf8)
        // What a connection knows that sent the line before.
        var known = KnownUserRead()
        #expect(known.recognise(line.span) != nil)
        for place in line.indices {
            agree(Array(line[..<place] + line[(place + 1)...]), after: known)
            for byte in UInt8.min ... .max {
                var changed = line
                changed[place] = byte
                agree(changed, after: known)
                changed.insert(line[place], at: place)
                agree(changed, after: known)
            }
        }
    }

    @Test func `A line like the last one is recognised by it, whatever its id`() {
        var known = KnownUserRead()
        func id(_ line: String) -> String? {
            let bytes = Array(line.utf8)
            return known.recognise(bytes.span).map { String(decoding: bytes[$0.id], as: UTF8.self) }
        }
        for line in [#"{"id":ID,"method":"user.get"}"#, #"{"method":"user.get", "id": ID }"#] {
            for text in ["1", "23", #""""#, #""a b""#, "123456789012345"] {
                #expect(id(line.replacing("ID", with: text)) == text)
            }
            for text in ["", " ", "0", "-1", "1 2", #""a"#, #"a""#, "1,", #"1,"id":2"#, "nul"] {
                #expect(id(line.replacing("ID", with: text)) == nil, "\(text)")
            }
        }
    }

    private func agree(_ line: [UInt8], after known: KnownUserRead) {
        agree(line, UserRead(line.span))
        var known = known
        agree(line, known.recognise(line.span))
    }

    private func agree(_ line: [UInt8], _ read: UserRead?) {
        guard let read else { return }
        guard case .one(let request) = binder.bind(line, line.indices, number: 2, isWhole: true),
            request.id == .json(line[read.id]), case .success(let valid) = request.outcome,
            valid.call == .userGet(user: nil)
        else {
            Issue.record("read otherwise: \(String(decoding: line, as: UTF8.self))")
            return
        }
    }
}
