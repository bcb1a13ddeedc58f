// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The promises of the protocol, by the names that its documentation gives them.
@Suite(.timeLimit(.minutes(5))) struct `The promises` {
    @Test func `O1 replies to immediate methods come in request order`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        var expected: [Int] = []
        for id in 1...300 {
            let method =
                switch id % 4 {
                case 0: #""user.rename","params":{"name":"n\#(id)"}"#
                case 1: #""user.get""#
                case 2: #""user.rename","params":{"name":""}"#
                default: #""movies.get""#
                }
            try client.send(#"{"id":\#(id),"method":\#(method)}"#)
            expected.append(id)
        }
        var got: [Int?] = []
        for _ in expected {
            let reply = try client.json()
            got.append(reply["id"].integer)
            // What was renamed before is seen.
            if let id = reply["id"].integer, id % 4 == 1, id > 4 {
                #expect(reply["result", "state", "user", "name"].string == "n\(id - 1)")
            }
        }
        #expect(got == expected)
    }

    @Test func `What was answered to one peer is what every other one reads from then on`() throws {
        let daemon = try RunningDaemon()
        let writer = try daemon.connect()
        let reader = try daemon.connect()
        _ = try writer.ask("fetch")
        let read = #"{"jsonrpc":"2.0","id":1,"method":"user.get"}"#
        for round in 0..<200 {
            try writer.send(#"{"id":1,"method":"user.rename","params":{"name":"n\#(round)"}}"#)
            // Reads of the time when the change is on its way to the disk.
            for _ in 0..<5 { _ = try reader.ask(read) }
            _ = try writer.json()
            let name = try reader.ask(read)["result", "state", "user", "name"].string
            try #require(name == "n\(round)")
        }
    }

    @Test func `O1 holds for what is refused behind a change that is being stored`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        var lines: [String] = []
        for id in 1...100 {
            let name = id % 2 == 0 ? "" : "n\(id)"
            lines.append(#"{"id":\#(id),"method":"user.rename","params":{"name":"\#(name)"}}"#)
        }
        try client.send(lines.joined(separator: "\n"))
        let replies = try lines.map { _ in try client.json() }
        #expect(replies.map { $0["id"].integer } == Array(1...100))
        #expect(replies.map { $0.reason == "out_of_range" } == (1...100).map { $0 % 2 == 0 })
    }

    @Test func `O1 holds for a fetch that does not wait, whoever renames meanwhile`() throws {
        let daemon = try RunningDaemon()
        let (client, writer) = (try daemon.connect(), try daemon.connect())
        _ = try client.ask("fetch")
        for round in 0..<100 {
            try writer.send(#"{"method":"user.rename","params":{"name":"n\#(round)"}}"#)
            try client.send(
                #"{"id":1,"method":"user.fetch","params":{"wait":false}}"#,
                #"{"id":2,"method":"ping"}"#)
            #expect(try client.json()["id"].integer == 1)
            #expect(try client.json()["id"].integer == 2)
            _ = try client.ask("fetch")
        }
    }

    @Test func `O1 holds for what is answered only when its key is stored`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("more")
        for round in 0..<20 {
            try client.send(
                #"{"id":1,"method":"movies.fetch","params":{"page":1,"wait":false,"key":"k\#(round)"}}"#,
                #"{"id":2,"method":"ping"}"#)
            #expect(try client.json()["id"].integer == 1)
            #expect(try client.json()["id"].integer == 2)
        }
    }

    @Test func `O2 the reply to subscribe comes before every push of it`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        // One peer renames as fast as it can; others join and leave all the while.
        for round in 0..<50 {
            for _ in 0..<20 {
                try writer.send(#"{"method":"user.rename","params":{"name":"r\#(round)"}}"#)
            }
            let client = try daemon.connect()
            let start = try client.ask(
                #"{"id":1,"method":"subscribe","params":{"topic":"user","mode":"all"}}"#)
            #expect(start["id"].integer == 1)
            var cursor = start["result", "cursor"]
            for _ in 0..<20 {
                try writer.send(#"{"method":"user.rename","params":{"name":"s\#(round)"}}"#)
            }
            _ = try writer.ask("ping")
            try client.send(#"{"id":2,"method":"sync"}"#)
            while true {
                let line = try client.json()
                if line["id"].integer == 2 { break }
                #expect(line["params", "prev"] == cursor)
                cursor = line["params", "cursor"]
            }
            let now = try client.ask(#"{"id":3,"method":"unsubscribe","params":{"as":"user"}}"#)
            #expect(now["result"] == .object([:]))
            #expect(try client.ask(#"{"id":4,"method":"user.get"}"#)["result", "cursor"] == cursor)
        }
    }

    @Test func `O3 the reply to unsubscribe is the last line of that subscription`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let client = try daemon.connect()
        _ = try client.ask("fetch")
        _ = try client.ask("watch user")
        for index in 0..<100 {
            try client.send(#"{"method":"user.rename","params":{"name":"a\#(index)"}}"#)
        }
        try client.send(#"{"id":7,"method":"unsubscribe","params":{"as":"user"}}"#)
        while try client.json()["id"].integer != 7 {}
        try client.send(#"{"method":"user.rename","params":{"name":"later"}}"#)
        #expect(try client.ask(#"{"id":8,"method":"ping"}"#)["id"].integer == 8)
    }

    @Test func `O4 the reply comes before the pushes it caused and carries their cursor`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        _ = try client.ask("watch user")
        let reply = try client.ask(#"{"id":1,"method":"user.rename","params":{"name":"Ada"}}"#)
        #expect(reply["id"].integer == 1)
        let push = try client.json()
        #expect(push["method"].string == "event")
        #expect(push["params", "cursor"] == reply["result", "cursor"])
        let loading = try client.ask(#"{"id":2,"method":"user.fetch","params":{"wait":false}}"#)
        #expect(loading["result", "state", "state"].string == "loading")
        #expect(try client.json()["params", "cursor"] == loading["result", "cursor"])
    }

    @Test func `O4 holds for a batch too`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        _ = try client.ask("watch user")
        try client.send(
            #"[{"id":1,"method":"user.rename","params":{"name":"A"}},{"id":2,"method":"user.get"},{"method":"ping"},{"id":3,"method":"user.rename","params":{"name":"B"}}]"#
        )
        let batch = try client.json()
        #expect(batch.array.map { $0["id"].integer } == [1, 2, 3])
        #expect(batch[1]["result", "state", "user", "name"].string == "A")
        #expect(try client.json()["params", "cursor"] == batch[2]["result", "cursor"])
    }

    @Test func `O5 prev of a push is the cursor the peer got last`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        for topic in ["user", "movies", "engine"] {
            _ = try client.ask("subscribe topic=\(topic) mode=all as=\(topic)")
        }
        let other = try daemon.connect()
        var cursors: [String: JSON] = [:]
        for _ in 0..<10 {
            _ = try other.ask("fetch")
            _ = try other.ask("more")
            _ = try other.ask("engine.reload")
        }
        try client.send(#"{"id":"end","method":"sync"}"#)
        var pushes = 0
        while true {
            let line = try client.json()
            if line["id"].string == "end" { break }
            pushes += 1
            let name = try #require(line["params", "as"].string)
            if let last = cursors[name] { #expect(line["params", "prev"] == last) }
            cursors[name] = line["params", "cursor"]
        }
        // Ten fetches and reloads of two steps each, and five pages and the end of the list.
        #expect(pushes >= 10 * 2 + 10 * 2 + 5 * 2)
    }

    @Test func `O6 sync is a barrier`() throws {
        let daemon = try RunningDaemon()
        let watcher = try daemon.connect()
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        _ = try watcher.ask("subscribe topic=user mode=all")
        for round in 0..<50 {
            let renamed = try writer.ask("rename n\(round)")
            try watcher.send(#"{"id":1,"method":"sync"}"#)
            #expect(try watcher.json()["params", "cursor"] == renamed["result", "cursor"])
            #expect(try watcher.json()["id"].integer == 1)
        }
    }

    @Test func `O7 a peer that asks for nothing gets nothing`() throws {
        let daemon = try RunningDaemon()
        let silent = try daemon.connect()
        let other = try daemon.connect()
        _ = try other.ask("fetch")
        _ = try other.ask("rename Ada")
        _ = try other.ask("engine.reload")
        _ = try silent.ask("ping")
        #expect(daemon.terminate() == 0)
        #expect(try silent.allLines().isEmpty)
    }

    @Test func `O8 nothing that was answered is lost by kill -9`() throws {
        let daemon = try RunningDaemon()
        for round in 0..<5 {
            let client = try daemon.connect()
            _ = try client.ask("fetch")
            var answered = 0
            for index in 1...50 {
                try client.send(
                    #"{"id":\#(index),"method":"user.rename","params":{"name":"r\#(round)-\#(index)"}}"#
                )
            }
            // The daemon dies in the middle of them.
            while answered < 10 + round * 8 {
                answered = try #require(try client.json()["id"].integer)
            }
            daemon.kill()
            while let line = try? client.line() {
                answered = try JSON(parsing: line)["id"].integer ?? answered
            }
            try daemon.restart()
            let kept = try daemon.connect().ask("user")["result", "state", "user", "name"].string
            let index = try #require(kept?.split(separator: "-").last.flatMap { Int($0) })
            #expect(kept?.hasPrefix("r\(round)-") == true)
            #expect((answered...50).contains(index))
        }
    }
}
