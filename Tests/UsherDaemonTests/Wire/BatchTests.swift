// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

private func batch(_ requests: [String]) -> String { "[" + requests.joined(separator: ",") + "]" }

private func synced(_ id: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"# }

private func sync(_ id: some CustomStringConvertible) -> String {
    #"{"id":\#(id),"method":"sync"}"#
}

/// The answer to what is no object.
private let notObject =
    #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request is an object, or an array of them","data":{"reason":"not_object","retryable":false}}}"#

@Suite(.timeLimit(.minutes(5))) struct `A batch` {
    @Test func `is answered in one line, in its order`() throws {
        let unknown =
            #"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"there is no pong; did you mean ping?","data":{"reason":"unknown_method","retryable":false}}}"#
        let daemon = try RunningDaemon()
        try daemon.check([
            Row("one", batch([sync(1)]), .line(batch([synced("1")]))),
            Row(
                "three", batch([sync(3), sync(1), sync("\"a\"")]),
                .line(batch([synced("3"), synced("1"), synced("\"a\"")]))),
            Row(
                "with a notification", batch([sync(1), #"{"method":"ping"}"#, sync(2)]),
                .line(batch([synced("1"), synced("2")]))),
            Row("of notifications", batch([#"{"method":"ping"}"#, #"{"method":"user.fetch"}"#])),
            Row(
                "with an error", batch([sync(1), #"{"id":2,"method":"pong"}"#, sync(3)]),
                .line(batch([synced("1"), unknown, synced("3")]))),
            Row(
                "with what is no request", "[1,\(sync(1)),\"x\",null]",
                .line(batch([notObject, synced("1"), notObject, notObject]))),
            Row("within a batch", "[[\(sync(1))]]", .line(batch([notObject]))),
            Row("empty within one", "[[]]", .line(batch([notObject]))),
            Row(
                "with white space", " [ \(sync(1)) , \(sync(2)) ] ",
                .line(batch([synced("1"), synced("2")]))),
            Row(
                "two on two lines", batch([sync(1)]) + "\n" + batch([sync(1)]),
                .line(batch([synced("1")])), .line(batch([synced("1")]))),
        ])
        #expect(try daemon.connect().ask("user")["result", "state", "state"].string != "initial")
    }

    @Test func `has 1 to 100 requests`() throws {
        let hundred = (1...100).map { "\($0)" }
        try RunningDaemon().check([
            Row("none", "[]", .error(id: "null", -32600, "batch_empty")),
            Row("none and a blank", "[ ]", .error(id: "null", -32600, "batch_empty")),
            Row("100", batch(hundred.map(sync)), .line(batch(hundred.map(synced)))),
            Row(
                "101", batch((1...101).map(sync)),
                .error(
                    id: "null", -32600, "batch_too_big", says: "at most 100 requests, this one 101")
            ),
            Row(
                "101 notifications, of which none is executed",
                batch(Array(repeating: #"{"method":"engine.stop"}"#, count: 101)),
                .error(id: "null", -32600, "batch_too_big")),
            Row(
                "30,000", "[" + String(repeating: "1,", count: 30_000) + "1]",
                .error(id: "null", -32600, "batch_too_big")),
            Row(
                "a key twice in one of them",
                batch([sync(1), #"{"id":2,"id":3,"method":"sync"}"#]),
                .line(
                    batch([
                        synced("1"),
                        #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the key id stands twice in an object","data":{"reason":"duplicate_key","retryable":false,"offset":34}}}"#,
                    ]))),
        ])
    }

    @Test func `has every id once`() throws {
        func duplicate(_ id: String) -> String {
            #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32600,"message":"a request with this id is in flight; use another id","data":{"reason":"duplicate_id","retryable":false,"path":"/id"}}}"#
        }
        try RunningDaemon().check([
            Row("twice", batch([sync(1), sync(1)]), .line(batch([synced("1"), duplicate("1")]))),
            Row(
                "a number and its text", batch([sync(1), sync("\"1\"")]),
                .line(batch([synced("1"), synced("\"1\"")]))),
        ])
    }

    @Test func `of a change and a barrier is answered before the change is pushed`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        _ = try client.ask("watch user movies")
        _ = try client.json()
        for round in 0..<20 {
            let rename = #"{"id":1,"method":"user.rename","params":{"name":"n\#(round)"}}"#
            try client.send(
                batch([rename, sync(2), #"{"id":3,"method":"movies.refresh"}"#, sync(4)]))
            let answers = try client.json().array
            try #require(answers.map { $0["id"].integer } == [1, 2, 3, 4])
            #expect(answers.allSatisfy { $0["error"] == .null })
            #expect(try client.json()["params", "cursor"] == answers[0]["result", "cursor"])
            // The refresh, loading and then done.
            #expect(try client.json()["params", "cursor"] == answers[2]["result", "cursor"])
            #expect(try client.json()["params", "data", "op"].string == "reset")
        }
    }

    @Test func `waits for all of its answers while others go on`() throws {
        let daemon = try RunningDaemon([
            "--users", "demo", "--demo-delay", "0.3", "--demo-failure-rate", "0",
        ])
        let client = try daemon.connect()
        try client.send(
            batch([sync(1), #"{"id":2,"method":"user.fetch"}"#, sync(3)]), sync(4), sync(1))
        let lines = try (0..<3).map { _ in try client.json() }
        #expect(lines[0]["id"].integer == 4)
        // An id of a batch that is not answered is in flight.
        #expect(lines[1]["id"].integer == 1 && lines[1].reason == "duplicate_id")
        #expect(lines[2].array.map { $0["id"].integer } == [1, 2, 3])
        #expect(lines[2][1]["result", "state", "state"].string == "loaded")
    }

    @Test func `has an answer that fits a line, whatever its ids and methods are`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let ids = (100..<200).map { "\"" + String(repeating: "x", count: 125) + "\($0)\"" }
        for method in [
            "ping", "nonsense", "stats", "hello", "rpc.discover", "help", "user.get", "movies.get",
        ] {
            try client.send(batch(ids.map { #"{"id":\#($0),"method":"\#(method)"}"# }))
            let line = try #require(try client.line())
            #expect(line.utf8.count < 65_536)
            let answers = try JSON(parsing: line).array
            #expect(answers.count == 100)
            for answer in answers {
                #expect(
                    answer["result"] != .null || answer.reason == "result_too_large"
                        || answer.reason == "unknown_method")
            }
            #expect(zip(answers, ids).allSatisfy { "\"\($0["id"].string ?? "")\"" == $1 })
            // Those that come first get what they asked for.
            #expect(
                answers[0]["error"] == .null || ["nonsense", "rpc.discover"].contains(method))
        }
        #expect(try client.ask("ping")["result"] != .null)
    }

    @Test func `gets as many movies as fit with the rest, and where to go on`() throws {
        let file = try MovieFile(count: 200, overviewBytes: 900)
        let client = try RunningDaemon(RunningDaemon.demo + ["--movies", "file:\(file.path)"])
            .connect()
        for _ in 0..<10 { _ = try client.ask("more") }
        let get = #"{"id":1,"method":"movies.get","params":{"limit":500}}"#
        try client.send(
            batch([get, get.replacing("1,", with: "2,"), get.replacing("1,", with: "3,"), sync(4)]))
        let line = try #require(try client.line())
        #expect(line.utf8.count < 65_536)
        let answers = try JSON(parsing: line).array
        let first = answers[0]["result"]
        #expect(first["items"].array.count == first["next"].integer)
        #expect((40..<200).contains(first["items"].array.count))
        // There is always room for one.
        #expect(answers[2]["result", "items"].array.count == answers[2]["result", "next"].integer)
        #expect(answers[2]["result", "next"] != .number(0))
        #expect(answers[3]["result"] == .object([:]))
    }

    @Test func `that has no room for a snapshot subscribes to nothing`() throws {
        let file = try MovieFile(count: 40, overviewBytes: 12_000)
        let daemon = try RunningDaemon(RunningDaemon.demo + ["--movies", "file:\(file.path)"])
        let client = try daemon.connect()
        _ = try client.ask("more")
        let subscribe = #"{"id":9,"method":"subscribe","params":{"topic":"movies","as":"m"}}"#
        // Three answers with as many movies as fit, of twelve kilobytes each, leave no room for one more.
        let gets = (1...3).map { #"{"id":\#($0),"method":"movies.get"}"# }
        try client.send(batch(gets + [subscribe]))
        let answers = try client.json()
        #expect(answers[3].reason == "result_too_large")
        let other = try daemon.connect()
        _ = try other.ask("more")
        #expect(
            try client.ask(#"{"id":2,"method":"unsubscribe","params":{"as":"m"}}"#).reason
                == "not_subscribed")
    }
}
