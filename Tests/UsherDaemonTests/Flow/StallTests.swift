// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A peer that leaves the daemon waiting` {
    @Test func `by taking nothing is cut off, logged, counted, and told so once`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo
                + RunningDaemon.limits(["stall_ms": 200, "stall_when_full_ms": 100]),
            store: "memory")
        let observer = try daemon.connect()
        let stalled = try daemon.connectStalled(as: "slow", seenBy: observer)
        #expect(daemon.log.wait(for: "(slow) is cut off as stalled: "))
        #expect(try eventually { try observer.clients().count == 1 })
        let evictions = try observer.statistics("evictions")
        #expect(
            evictions
                == .object([
                    "stalled": .number(1), "stalled_when_full": .number(0),
                    "partial_line": .number(0),
                ]))
        #expect(stalled.isCutOff())

        #expect(try daemon.connect().hello(as: "other")["evicted"] == .null)
        let again = try daemon.connect().hello(as: "slow")["evicted"]
        #expect(again["reason"].string == "stalled")
        let now = try #require(try observer.ask("ping")["result", "uptime_ms"].integer)
        #expect((200...now).contains(again["at_uptime_ms"].integer ?? 0))
        #expect(try daemon.connect().hello(as: "slow")["evicted"] == .null)
    }

    @Test func `by its subscription is cut off too, and the others are not`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo
                + RunningDaemon.limits(["stall_ms": 200, "unsent_bytes": 4_096]), store: "memory")
        let observer = try daemon.connect()
        let (stalled, reader) = (try daemon.connect(), try daemon.connect())
        _ = try observer.ask("fetch")
        for client in [stalled, reader] { _ = try client.ask("watch user") }
        var renames = 0
        while try observer.clients().count == 3 {
            renames += 1
            _ = try observer.ask("rename n\(renames)")
            #expect(
                try reader.json()["params", "data", "user", "name"].string == "n\(renames)")
        }
        #expect(try observer.statistics("evictions")["stalled"].integer == 1)
        #expect(stalled.isCutOff())
        #expect(try reader.ask("ping")["result"] != .null)
    }

    @Test func `by a line without an end is cut off, however the line grows`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["partial_line_ms": 100]), store: "memory")
        let observer = try daemon.connect()
        let client = try daemon.connect()
        _ = try client.hello(as: "drip")
        // Bytes keep coming, until the daemon has had enough.
        while (try? client.send(bytes: [UInt8(ascii: "x")])) != nil { usleep(1_000) }
        #expect(daemon.log.wait(for: "(drip) is cut off as partial_line"))
        #expect(client.isCutOff())
        #expect(try observer.statistics("evictions")["partial_line"].integer == 1)
        let evicted = try daemon.connect().hello(as: "drip")["evicted"]
        #expect(evicted["reason"].string == "partial_line")
    }

    @Test func `by a line too long without an end is cut off too`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["partial_line_ms": 100]), store: "memory")
        let client = try daemon.connect()
        try client.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 100_000))
        #expect(try client.json().reason == "line_too_long")
        #expect(client.isCutOff())
        #expect(try daemon.connect().statistics("evictions")["partial_line"].integer == 1)
    }

    @Test func `is not blamed for a line that the daemon does not read`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo
                + RunningDaemon.limits(["partial_line_ms": 50, "unsent_bytes": 4_096]),
            store: "memory")
        let observer = try daemon.connect()
        let stalled = try daemon.connectStalled(seenBy: observer)
        try stalled.send(bytes: #"{"id":2,"method""#.utf8)
        // One that came later is cut off, this one is not.
        let later = try daemon.connect()
        try later.send(bytes: #"{"id":2,"method""#.utf8)
        #expect(later.isCutOff())
        #expect(try observer.statistics("evictions")["partial_line"].integer == 1)
        #expect(try eventually { try observer.clients().count == 2 })
        #expect(try observer.clients()[1]["unsent_bytes"].integer ?? 0 > 0)
        for _ in 0..<200 { #expect(try stalled.json()["id"].integer == 1) }
    }

    @Test func `loses its place, the longest first, when places have run out`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo
                + RunningDaemon.limits(["clients": 3, "stall_when_full_ms": 300]), store: "memory")
        let observer = try daemon.connect()
        let first = try daemon.connectStalled(as: "first", seenBy: observer)
        try observer.letTimePass()
        let second = try daemon.connectStalled(as: "second", seenBy: observer)
        let idle = try daemon.connect()
        _ = try idle.ask("ping")
        // The tests' user has one place more than others; all are taken.
        #expect(try observer.clients().count == 4)
        var refusals = 0
        var served: LineClient?
        while served == nil {
            let client = try daemon.connect()
            try? client.send("ping")
            let answer = try client.json()
            if answer["result"] == .null {
                #expect(answer.reason == "too_many_clients")
                refusals += 1
            } else {
                served = client
            }
        }
        #expect(refusals > 0)
        #expect(first.isCutOff())
        #expect(try observer.statistics("evictions")["stalled_when_full"].integer == 1)
        #expect(try observer.clients().map { $0["name"].string } == [nil, "second", nil, nil])
        #expect(try idle.ask("ping")["result"] != .null)
        #expect(try second.json()["id"].integer == 1)
        #expect(try served?.hello(as: "first")["evicted", "reason"].string == "stalled_when_full")
    }

    @Test func `wakes the daemon only as long as it is there`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["stall_ms": 100, "stall_when_full_ms": 4]),
            store: "memory")
        let observer = try daemon.connect()
        let stalled = try daemon.connectStalled(seenBy: observer)
        #expect(try eventually { try observer.statistics("evictions")["stalled"].integer == 1 })
        _ = try observer.ask("watch user")
        // What is measured is that nothing happens, and that takes time; a timer left over would fire 200 times.
        #expect(try eventually { try daemon.sleeps > 0 })
        let before = try daemon.sleeps
        usleep(200_000)
        #expect(try daemon.sleeps - before <= 3)
        #expect(stalled.isCutOff())
    }
}
