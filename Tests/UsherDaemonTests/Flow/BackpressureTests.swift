// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized) struct `Back-pressure` {
    @Test func `stops a flood whose answers nobody reads, and loses none of it`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let observer = try daemon.connect()
        let flooder = try daemon.connect()
        let before = try daemon.residentBytes
        // Padded, so that few requests fill the socket.
        let line = Array((largeRequest + String(repeating: " ", count: 1_000) + "\n").utf8)
        let flood = (0..<2_000).flatMap { _ in line }[...]
        var sent = 0
        // When the daemon reads no more, no more can be sent, however often it is tried.
        var isStuck = false
        while !isStuck {
            let count = try flooder.sendSome(flood[sent...])
            sent += count
            let unsent = try observer.clients()[1]["unsent_bytes"].integer ?? 0
            isStuck = count == 0 && unsent > 262_144
        }
        #expect(sent < flood.count)
        #expect(try observer.clients()[1]["unsent_bytes"].integer ?? 0 <= 262_144 + 65_536)
        #expect(try daemon.hasGrown(from: before, byLessThan: 8 << 20))
        #expect(try observer.ask("ping")["result"] != .null)
        // The rest of the line that was begun goes out as answers are read.
        let whole = (sent + line.count - 1) / line.count
        for answered in 0..<whole {
            #expect(try flooder.json()["id"].integer == 1)
            if sent < whole * line.count, answered > whole / 2 {
                sent += try flooder.sendSome(flood[sent..<(whole * line.count)])
            }
        }
        #expect(try flooder.ask(#"{"id":2,"method":"ping"}"#)["id"].integer == 2)
    }

    @Test func `lets a peer that reads in drops have everything, even half-closed`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let client = try LineClient(path: daemon.socketPath, keeping: daemon, receiveSize: 1_024)
        let count = 100
        for _ in 0..<count { try client.send(largeRequest) }
        client.finishSending()
        let lines = try client.allLines()
        #expect(lines.count == count)
        #expect(Set(lines).count == 1)
    }

    @Test func `of one stopped subscriber is no matter to the others`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["unsent_bytes": 8_192]), store: "memory")
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        let stopped = try OtherPeer(
            daemon.socketPath,
            [.connect, .ask(#"{"id":1,"method":"subscribe","params":{"topic":"user"}}"#), .listen])
        let start = try stopped.received(1)[0]
        stopped.process.signal(SIGSTOP)
        let readers = try (0..<5).map { _ in try daemon.connect() }
        for reader in readers { _ = try reader.ask("watch user") }
        let before = try daemon.residentBytes
        let count = 2_000
        for index in 1...count {
            let renamed = try writer.ask("rename n\(index)")
            for reader in readers {
                #expect(try reader.json()["params", "cursor"] == renamed["result", "cursor"])
            }
        }
        #expect(try daemon.hasGrown(from: before, byLessThan: 4 << 20))
        let skipped = try writer.clients()[1]
        #expect(skipped["behind"].integer == 1)
        #expect(skipped["unsent_bytes"].integer ?? 0 <= 8_192 + 65_536)

        stopped.process.signal(SIGCONT)
        #expect(stopped.process.log.wait(for: "\"n\(count)\""))
        let lines = stopped.process.log.text.split(separator: "\n").map(String.init)
        let pushes = try lines.dropFirst().map(JSON.init(parsing:))
        var cursor = start["result", "cursor"]
        var seen = 0
        for push in pushes {
            #expect(push["params", "prev"] == cursor)
            cursor = push["params", "cursor"]
            seen += 1 + (push["params", "skipped"].integer ?? 0)
        }
        #expect(seen == count)
        // What had been on its way, and then one state that stands for all that it missed.
        #expect(pushes.filter { $0["params", "skipped"] != .null }.count == 1)
        #expect(pushes.last?["params", "skipped"].integer ?? 0 > 0)
    }

    @Test func `makes mode all tell of a gap when more went by than is remembered`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["unsent_bytes": 4_096]), store: "memory")
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        let reader = try daemon.connect()
        var cursor = try reader.ask("subscribe topic=user mode=all")["result", "cursor"]
        var renames = 0
        while try writer.clients()[1]["behind"].integer == 0 {
            renames += 1
            _ = try writer.ask("rename n\(renames)")
        }
        for _ in 0..<300 {
            renames += 1
            _ = try writer.ask("rename n\(renames)")
        }
        var gaps = 0
        var seen = 0
        while seen < renames {
            let push = try reader.json()["params"]
            #expect(push["prev"] == cursor)
            cursor = push["cursor"]
            let skipped = push["skipped"].integer ?? 0
            #expect((push["gap"].boolean == true) == (skipped > 0))
            if skipped > 0 { gaps += 1 }
            seen += 1 + skipped
        }
        #expect(gaps == 1)
        #expect(seen == renames)
        _ = try writer.ask("rename last")
        #expect(try reader.json()["params", "data", "user", "name"].string == "last")
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A connection may have` {
    @Test(arguments: [64, 3]) func `so many subscriptions and no more`(limit: Int) throws {
        let arguments = limit == 64 ? [] : RunningDaemon.limits(["subscriptions": limit])
        let daemon = try RunningDaemon(RunningDaemon.demo + arguments, store: "memory")
        let client = try daemon.connect()
        for index in 0..<limit {
            #expect(try client.ask("subscribe topic=user as=s\(index)")["result"] != .null)
        }
        let refused = try client.ask("subscribe topic=user as=more")
        #expect(refused["error", "code"].integer == -32013)
        #expect(refused.reason == "too_many_subscriptions")
        #expect(try client.ask("unwatch s0")["result"] != .null)
        #expect(try client.ask("subscribe topic=user as=more")["result"] != .null)
        // All of them are served, the one that was refused only once.
        _ = try daemon.connect().ask("fetch")
        var names: [String?] = []
        try client.send(#"{"id":"end","method":"sync"}"#)
        while true {
            let line = try client.json()
            if line["id"].string == "end" { break }
            if line["params", "data", "state"].string == "loaded" {
                names.append(line["params", "as"].string)
            }
        }
        #expect(Set(names) == Set((1..<limit).map { "s\($0)" } + ["more"]))
        #expect(names.count == limit)
    }

    @Test(arguments: [32, 2]) func `so many answers in flight, then it is told to wait`(limit: Int)
        throws
    {
        let arguments = limit == 32 ? [] : RunningDaemon.limits(["deferred_requests": limit])
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "3600"] + arguments, store: "memory")
        let client = try daemon.connect()
        for id in 0...limit {
            try client.send(#"{"id":\#(id),"method":"user.fetch","params":{"user":\#(id)}}"#)
        }
        let busy = try client.json()
        #expect(busy["id"].integer == limit)
        #expect(busy["error", "code"].integer == -32006)
        #expect(busy.reason == "busy")
        #expect(busy["error", "data", "retryable"].boolean == true)
        // What needs no service goes on, and so do others.
        #expect(try client.ask(#"{"id":"p","method":"ping"}"#)["id"].string == "p")
        let other = try daemon.connect()
        let loading = try other.ask(#"{"id":1,"method":"user.fetch","params":{"wait":false}}"#)
        #expect(loading["result", "state", "state"].string == "loading")
        #expect(try other.clients()[0]["in_flight"].integer == limit)
        client.close()
        #expect(try eventually { try other.clients().count == 1 })
    }
}
