// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// Requests with a key, on the real daemon: done once, answered alike.
@Suite(.timeLimit(.minutes(5))) struct `A request with a key` {
    private static func rename(_ name: String, key: String, id: Int = 1) -> String {
        #"{"id":\#(id),"method":"user.rename","params":{"name":"\#(name)","key":"\#(key)"}}"#
    }

    private static func more(key: String, id: Int = 1) -> String {
        #"{"id":\#(id),"method":"movies.fetch","params":{"key":"\#(key)"}}"#
    }

    @Test func `is the same on every connection of its user, in flight or not`() throws {
        let daemon = try RunningDaemon()
        let first = try daemon.connect()
        let second = try daemon.connect()
        _ = try first.ask("fetch")
        for round in 0..<50 {
            let line = Self.rename("n\(round)", key: "k\(round)")
            // Twice on one connection, in one go, and on another one at the same time.
            try first.send(line, line.replacing("\"id\":1", with: "\"id\":2"))
            try second.send(line)
            let answers = try [first.json(), first.json(), second.json()].map { $0["result"] }
            #expect(answers.allSatisfy { $0 == answers[0] })
            #expect(answers[0]["state", "user", "name"].string == "n\(round)")
        }
        // One revision to start the fetch, one for its end, and one a rename.
        let cursor = try first.ask("user")["result", "cursor"].string
        #expect(cursor?.hasSuffix(":\(try Self.revision(first, of: "k0") + 49)") == true)
    }

    private static func revision(_ client: LineClient, of key: String) throws -> Int {
        let answer = try client.ask(rename("n0", key: key))
        return Int(answer["result", "cursor"].string?.split(separator: ":").last ?? "") ?? 0
    }

    @Test func `is answered alike within a batch, and with the list begun anew without its movies`()
        throws
    {
        let client = try RunningDaemon().connect()
        let batch = try client.ask("[\(Self.more(key: "a")),\(Self.more(key: "a", id: 2))]")
        #expect(batch[0]["result"] == batch[1]["result"])
        #expect(batch[0]["result", "items"].array.count == 20)
        let again = try client.ask(Self.more(key: "a"))
        #expect(again["result"] == batch[0]["result"])
        _ = try client.ask(#"{"id":3,"method":"movies.refresh","params":{"key":"r"}}"#)
        _ = try client.ask("movies.fetch page=1")
        let late = try client.ask(Self.more(key: "a"))
        #expect(late["result", "items"].array.count == 0)
        for member in ["offset", "total", "complete", "status", "cursor"] {
            #expect(late["result", member] == batch[0]["result", member])
        }
    }

    @Test func `can be typed, and as a notification`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        let typed = try client.ask("rename key=k name=\"Ada L\"")
        #expect(try client.ask("user.rename name=\"Ada L\" key=k")["result"] == typed["result"])
        try client.send(#"{"method":"user.rename","params":{"name":"Ada L","key":"k"}}"#)
        try client.send(#"{"method":"user.rename","params":{"name":"Eve","key":"k"}}"#)
        #expect(try client.ask("user")["result"] == typed["result"])
    }

    @Test(arguments: ["", String(repeating: "k", count: 65), "a b", "a\\u0000", "ä", "a\\u007f"])
    func `needs a key that is one`(key: String) throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        let answer = try client.ask(Self.rename("Ada", key: key))
        #expect(answer.reason == "out_of_range")
        #expect(answer["error", "data", "path"].string == "/params/key")
        #expect(try client.ask("user")["result", "state", "user", "name"].string == "Mina Seo")
    }

    @Test func `is done once through kill -9 at any moment`() throws {
        let daemon = try RunningDaemon()
        for round in 0..<40 {
            let asking = try daemon.connect()
            let line = Self.more(key: "k\(round)")
            try asking.send(line)
            switch round % 4 {
            case 0: break
            case 1: try asking.waitUntilRead()
            case 2: for _ in 0..<round * 20 { sched_yield() }
            default: _ = try asking.json()
            }
            daemon.kill()
            try daemon.restart()
            let client = try daemon.connect()
            let answer = try client.ask(line)
            // The sample has six pages; then it is asked for what cannot be.
            guard round < 6 else {
                #expect(answer.reason == "end_of_list")
                continue
            }
            #expect(answer["result", "status", "page"].integer == round + 1)
            #expect(try client.ask(line)["result"] == answer["result"])
        }
    }
}
