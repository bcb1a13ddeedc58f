// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

private func nested(_ levels: Int, _ inner: String = "") -> String {
    String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
}

/// A request whose parameter `x`, which there is not, has this value.
private func call(_ value: String) -> String {
    #"{"id":1,"method":"ping","params":{"x":\#(value)}}"#
}

@Suite(.timeLimit(.minutes(5))) struct `A line of JSON` {
    @Test func `is strict or refused`() throws {
        let refused = Answer.unreadable(-32700, "bad_json")
        let badNumber = Answer.unreadable(-32700, "bad_number")
        let noX = Answer.error(id: "1", -32602, "unknown_param", path: "/params/x")
        try RunningDaemon().check([
            Row("cut short", #"{"id":1,"#, refused),
            Row("a brace alone", "{", refused),
            Row("a comma at the end", #"{"id":1,"method":"ping",}"#, refused),
            Row("a comma at the end of a batch", #"[{"id":1,"method":"ping"},]"#, refused),
            Row("single quotes", "{'id':1,'method':'ping'}", refused),
            Row("keys without quotes", #"{id:1,method:"ping"}"#, refused),
            Row("a comment", #"{"id":1,/* x */"method":"ping"}"#, refused),
            Row("something behind", #"{"id":1,"method":"ping"} x"#, refused),
            Row(
                "two requests on a line", #"{"id":1,"method":"ping"}{"id":2,"method":"ping"}"#,
                refused),
            Row("a colon missing", #"{"id" 1}"#, refused),
            Row("a tab in a string", "{\"id\":\"a\tb\",\"method\":\"sync\"}", refused),
            Row("an unknown escape", #"{"id":"\x41","method":"sync"}"#, refused),
            Row("half a surrogate pair", #"{"id":"\ud800","method":"sync"}"#, refused),
            Row("NaN", call("NaN"), refused),
            Row("Infinity", call("Infinity"), refused),
            Row("a bare word", call("yes"), refused),
            Row("a leading zero", call("01"), badNumber),
            Row("a leading plus", call("+1"), refused),
            Row("no digit before the point", call(".5"), refused),
            Row("no digit behind the point", call("1."), badNumber),
            Row("hexadecimal", call("0x10"), badNumber),
            Row("beyond a double", call("1e400"), badNumber),
            Row("beyond 64 bits", call("18446744073709551616"), badNumber),
            Row("the largest of 64 bits", call("18446744073709551615"), noX),
            Row(
                "white space everywhere", "{ \"id\" : 1 ,\t\"method\" : \"sync\" }\t ", .synced("1")
            ),
        ])
    }

    @Test func `is at most 32 deep`() throws {
        let tooDeep = Answer.unreadable(-32700, "too_deep")
        let noX = Answer.error(id: "1", -32602, "unknown_param", path: "/params/x")
        try RunningDaemon().check([
            Row("32", call(nested(30, "1")), noX),
            Row("33", call(nested(31, "1")), tooDeep),
            Row("32 with nothing innermost", call(nested(30)), noX),
            Row("33 with nothing innermost", call(nested(31)), tooDeep),
            Row(
                "33 objects",
                call(
                    String(repeating: #"{"a":"#, count: 31) + "1"
                        + String(repeating: "}", count: 31)), tooDeep),
            Row(
                "32 by a batch", "[" + call(nested(29)) + "]",
                .line(
                    #"[{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"ping has no x; it takes nothing","data":{"reason":"unknown_param","retryable":false,"path":"/params/x"}}}]"#
                )),
            Row("33 by a batch", "[" + call(nested(30)) + "]", tooDeep),
            Row("500 that are not closed", String(repeating: "[", count: 500), tooDeep),
            Row("60,000 that are not closed", String(repeating: "[", count: 60_000), tooDeep),
            Row("30,000 that are", nested(30_000), tooDeep),
            Row("10,000 objects", String(repeating: #"{"a":"#, count: 10_000), tooDeep),
            Row(
                "100,000, which is too long first", String(repeating: "[", count: 100_000),
                .unreadable(-32000, "line_too_long")),
            Row(
                "brackets in a string are none", #"{"id":1,"method":"\#(nested(100))"}"#,
                .error(id: "1", -32601, "unknown_method")),
        ])
    }

    @Test func `has no key twice in an object, at any level`() throws {
        func twice(_ id: String, _ offset: Int) -> Answer {
            .error(id: id, -32600, "duplicate_key", offset: offset)
        }
        let manyKeys = (0..<100).map { "\"k\($0)\":1" }.joined(separator: ",")
        let daemon = try RunningDaemon()
        try daemon.check([
            Row("method", #"{"id":1,"method":"sync","method":"engine.stop"}"#, twice("1", 24)),
            Row(
                "id, of which none can be carried", #"{"id":1,"id":2,"method":"sync"}"#,
                twice("null", 8)),
            Row("params", #"{"id":1,"method":"sync","params":{},"params":{}}"#, twice("1", 36)),
            Row(
                "jsonrpc", #"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"sync"}"#,
                twice("1", 17)),
            Row("an unknown one", #"{"x":1,"x":2,"id":1,"method":"sync"}"#, twice("1", 7)),
            Row(
                "equal once unescaped", #"{"id":1,"method":"sync","m\u0065thod":"ping"}"#,
                twice("1", 24)),
            Row("empty ones", #"{"id":1,"method":"sync","params":{"":1,"":1}}"#, twice("1", 39)),
            Row(
                "in params", #"{"id":1,"method":"user.fetch","params":{"wait":false,"wait":true}}"#,
                twice("1", 53)),
            Row(
                "in an object within",
                #"{"id":1,"method":"hello","params":{"client":{"name":"a","name":"b"}}}"#,
                twice("1", 56)),
            Row(
                "in an array within", #"{"id":1,"method":"ping","params":{"x":[{"a":1,"a":1}]}}"#,
                twice("1", 46)),
            Row(
                "the last of many", #"{"id":1,"method":"ping","params":{\#(manyKeys),"k0":1}}"#,
                twice("1", 824)),
            Row(
                "in a notification", #"{"method":"user.fetch","method":"user.fetch"}"#,
                twice("null", 23)),
            Row("behind blanks", #"  {"id":1,"id":2,"method":"sync"}"#, twice("null", 10)),
            Row(
                "the same key in two objects is fine",
                #"{"id":1,"method":"hello","params":{"client":{"name":"a"}}}"#, .result(id: "1")),
            Row(
                "keys that differ in case are unknown", #"{"id":1,"Id":2,"method":"sync"}"#,
                .error(id: "1", -32600, "unknown_member", path: "/Id")),
        ])
        #expect(try daemon.connect().ask("user")["result", "state", "state"].string == "initial")
    }
}
