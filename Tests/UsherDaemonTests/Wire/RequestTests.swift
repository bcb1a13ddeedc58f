// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

private func sync(id: String) -> String { #"{"id":\#(id),"method":"sync"}"# }

@Suite(.timeLimit(.minutes(5))) struct `A request` {
    @Test func `gets its id back byte for byte, or is refused`() throws {
        let refused = Answer.error(id: "null", -32600, "bad_id", path: "/id")
        let echoed = [
            "1", "0", "-0", "-1", "2147483648", "9007199254740991", "-9007199254740991", #""""#,
            #""1""#, #""a b""#,
            #""\u0061""#, #""\"\\\/\n\u0000""#, #""\ud83c\udfac""#, #""中🎬""#, #""NULL""#,
            "\"" + String(repeating: "x", count: 128) + "\"",
            "\"" + String(repeating: "é", count: 64) + "\"",
            "\"" + String(repeating: #"\u0061"#, count: 21) + "\"",
        ]
        let wrong = [
            "null", "true", "[]", "[1]", "{}", #"{"id":1}"#, "1e3", "1E3", "1.0", "1.5", "-0.0",
            "9007199254740992",
            "-9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808",
            "18446744073709551615", "\"" + String(repeating: "x", count: 129) + "\"",
            "\"" + String(repeating: #"\u0061"#, count: 22) + "\"",
        ]
        try RunningDaemon().check(
            echoed.map { Row("id \($0)", sync(id: $0), .synced($0)) }
                + wrong.map { Row("id \($0)", sync(id: $0), refused) }
                + [
                    Row(
                        "beyond 64 bits", sync(id: "18446744073709551616"),
                        .unreadable(-32700, "bad_number")),
                    Row("white space around it", #"{"id" :  7  ,"method":"sync"}"#, .synced("7")),
                    Row("last of all", #"{"method":"sync","id":7}"#, .synced("7")),
                    Row(
                        "a wrong id hides what else is wrong",
                        #"{"id":null,"method":"nonsense","x":1}"#, refused),
                ])
    }

    @Test func `without an id is executed and never answered`() throws {
        let daemon = try RunningDaemon()
        try daemon.check([
            Row("right", #"{"method":"user.fetch"}"#),
            Row("unknown method", #"{"method":"nonsense"}"#),
            Row("wrong parameter", #"{"method":"user.rename","params":{"nam":1}}"#),
            Row(
                "refused by the state", #"{"method":"user.rename","params":{"user":9,"name":"x"}}"#),
            Row("a rename", #"{"jsonrpc":"2.0","method":"user.rename","params":{"name":"Ada"}}"#),
            Row(
                "subscribing gets no reply, and so pushes alone",
                #"{"method":"unsubscribe","params":{"as":"x"}}"#),
        ])
        let user = try daemon.connect().ask("user")["result", "state", "user"]
        #expect(user["name"].string == "Ada")
    }

    @Test func `that is none is answered even without an id`() throws {
        func wrong(_ code: Int, _ reason: String, _ path: String? = nil) -> Answer {
            .error(id: "null", code, reason, path: path)
        }
        try RunningDaemon().check([
            Row("empty", "{}", wrong(-32602, "missing", "/method")),
            Row("no method", #"{"params":{}}"#, wrong(-32602, "missing", "/method")),
            Row(
                "a method that is a number", #"{"method":1}"#,
                wrong(-32602, "wrong_type", "/method")),
            Row(
                "a reply", #"{"jsonrpc":"2.0","result":{}}"#,
                wrong(-32600, "unknown_member", "/result")),
            Row(
                "another version", #"{"jsonrpc":"1.0","method":"ping"}"#,
                wrong(-32600, "bad_version", "/jsonrpc")),
            Row(
                "params in an array", #"{"method":"ping","params":[]}"#,
                wrong(-32600, "not_object", "/params")),
        ])
    }

    @Test func `has the four members of JSON-RPC and no other`() throws {
        func wrong(_ code: Int, _ reason: String, _ path: String) -> Answer {
            .error(id: "1", code, reason, path: path)
        }
        let badVersion = wrong(-32600, "bad_version", "/jsonrpc")
        try RunningDaemon().check([
            Row("all four", #"{"jsonrpc":"2.0","id":1,"method":"sync","params":{}}"#, .synced("1")),
            Row(
                "in another order", #"{"params":{},"method":"sync","id":1,"jsonrpc":"2.0"}"#,
                .synced("1")),
            Row("keys with escapes", #"{"\u0069d":1,"m\u0065thod":"syn\u0063"}"#, .synced("1")),
            Row("version 1.0", #"{"jsonrpc":"1.0","id":1,"method":"sync"}"#, badVersion),
            Row("version 2", #"{"jsonrpc":"2","id":1,"method":"sync"}"#, badVersion),
            Row("version 2.0 as a number", #"{"jsonrpc":2.0,"id":1,"method":"sync"}"#, badVersion),
            Row("version null", #"{"jsonrpc":null,"id":1,"method":"sync"}"#, badVersion),
            Row("version with a blank", #"{"jsonrpc":"2.0 ","id":1,"method":"sync"}"#, badVersion),
            Row(
                "another member", #"{"id":1,"method":"user.fetch","extra":true}"#,
                wrong(-32600, "unknown_member", "/extra")),
            Row(
                "a member named by a pointer", #"{"id":1,"method":"ping","a/b~c":1}"#,
                wrong(-32600, "unknown_member", "/a~1b~0c")),
            Row(
                "an auth token", #"{"id":1,"method":"ping","token":"x"}"#,
                wrong(-32600, "unknown_member", "/token")),
            Row("no method", #"{"id":1}"#, wrong(-32602, "missing", "/method")),
            Row("method null", #"{"id":1,"method":null}"#, wrong(-32602, "wrong_type", "/method")),
            Row(
                "method in an array", #"{"id":1,"method":["ping"]}"#,
                wrong(-32602, "wrong_type", "/method")),
            Row(
                "params in an array", #"{"id":1,"method":"ping","params":[]}"#,
                wrong(-32600, "not_object", "/params")),
            Row(
                "params null", #"{"id":1,"method":"ping","params":null}"#,
                wrong(-32600, "not_object", "/params")),
            Row(
                "params a string", #"{"id":1,"method":"ping","params":"x"}"#,
                wrong(-32600, "not_object", "/params")),
        ])
    }

    @Test func `names a method exactly`() throws {
        func unknown(_ says: String) -> Answer {
            .error(id: "1", -32601, "unknown_method", says: says)
        }
        func call(_ method: String) -> String { #"{"id":1,"method":"\#(method)"}"# }
        let long = String(repeating: "x", count: 60_000)
        let accents = "e" + String(repeating: "\u{301}", count: 30_000)
        try RunningDaemon().check([
            Row("almost", call("user.gett"), unknown("did you mean user.get?")),
            Row("letters swapped", call("subscirbe"), unknown("did you mean subscribe?")),
            Row("in capitals", call("PING"), unknown("there is no PING; did you mean ping?")),
            Row("with a capital", call("User.get"), unknown("did you mean user.get?")),
            Row("a short word is for typing", call("more"), unknown("there is no more")),
            Row("with a blank", call("ping "), unknown("did you mean ping?")),
            Row("empty", call(""), unknown("there is no ")),
            Row("nothing like it", call("eth_getBalance"), unknown("help lists what there is")),
            Row("the reserved prefix", call("rpc.nothing"), unknown("there is no rpc.nothing")),
            Row("an event", call("event"), unknown("there is no event")),
            Row("very long", call(long), unknown("there is no xxx")),
            Row("one character of 60,000 bytes", call(accents), unknown("there is no ")),
        ])
    }

    @Test func `of an id that is in flight is refused, whatever the other is`() throws {
        let daemon = try RunningDaemon([
            "--users", "demo", "--demo-delay", "0.5", "--demo-failure-rate", "0",
        ])
        let client = try daemon.connect()
        try client.send(
            #"{"id":1,"method":"user.fetch"}"#, #"{"id":1,"method":"ping"}"#,
            #"{"id":"1","method":"sync"}"#,
            #"{"id":1,"method":"user.fetch"}"#, #"{"id":2,"method":"sync"}"#)
        let duplicate = Answer.error(id: "1", -32600, "duplicate_id", path: "/id")
        let expected: [Answer] = [
            duplicate, .synced("\"1\""), duplicate, .synced("2"), .result(id: "1"),
        ]
        for answer in expected {
            let line = try #require(try client.line())
            #expect(answer.complaint(about: line) == nil, "\(line)")
        }
        // It may be used again once it was answered.
        #expect(
            try client.ask(#"{"id":1,"method":"user.get"}"#)["result", "state", "state"].string
                == "loaded")
    }
}
