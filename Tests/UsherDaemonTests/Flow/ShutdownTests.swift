// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The end` {
    @Test func `comes with an idle, a stalled and a waiting client, and each is told`() throws {
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "3600"]
                + RunningDaemon.limits(["shutdown_grace_ms": 300]), store: "memory")
        let observer = try daemon.connect()
        let (idle, waiting) = (try daemon.connect(), try daemon.connect())
        _ = try idle.ask("ping")
        try waiting.send(#"{"id":7,"method":"user.fetch"}"#)
        let stalled = try daemon.connectStalled(seenBy: observer)
        _ = try observer.ask("watch engine")
        #expect(daemon.terminate() == 0)
        #expect(try idle.line() == nil)
        let answer = try waiting.json()
        #expect(answer["id"].integer == 7)
        #expect(answer["error", "code"].integer == -32005)
        #expect(answer.reason == "shutting_down")
        #expect(try waiting.line() == nil)
        #expect(try observer.json()["params", "data", "event"].string == "stop")
        #expect(try observer.line() == nil)
        #expect(stalled.isCutOff())
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
    }

    @Test func `waits for no client that has all it asked for`() throws {
        // With clients that did not matter the grace would take ten minutes.
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["shutdown_grace_ms": 600_000]),
            store: "memory")
        let clients = try (0..<10).map { _ in try daemon.connect() }
        for client in clients { _ = try client.ask("watch user") }
        // One has sent what is not read any more: the end is no reset for it.
        try clients[0].send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 60_000))
        #expect(daemon.terminate() == 0)
        for client in clients { #expect(try client.line() == nil) }
    }

    @Test func `leaves answers in flight their time, and takes no new requests`() throws {
        let daemon = try RunningDaemon(
            [
                "--users", "demo", "--demo-delay", "0.5", "--demo-failure-rate", "0",
                "--limit", "shutdown_grace_ms=60000",
            ], store: "memory")
        let (client, late) = (try daemon.connect(), try daemon.connect())
        _ = try late.ask("ping")
        try client.send(#"{"id":1,"method":"user.fetch"}"#)
        #expect(
            try eventually { try late.ask("user")["result", "state", "state"].string == "loading" })
        daemon.signal(SIGTERM)
        #expect(daemon.log.wait(for: "stopping"))
        #expect(try late.ask("ping").reason == "shutting_down")
        #expect(try client.json()["result", "state", "state"].string == "loaded")
        #expect(try client.line() == nil)
        #expect(try late.line() == nil)
        #expect(daemon.waitForExit() == 0)
    }

    @Test func `answers all that was read, in order`() throws {
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "3600", "--limit", "shutdown_grace_ms=100"],
            store: "memory")
        let client = try daemon.connect()
        // Typed lines wait for each other: one is in flight, the others were only read.
        try client.send("fetch", "ping", "user", "fetch user=1")
        let observer = try daemon.connect()
        #expect(try eventually { try observer.clients()[0]["in_flight"].integer == 1 })
        #expect(daemon.terminate() == 0)
        let answers = try client.allLines().map(JSON.init(parsing:))
        #expect(answers.first?["id"].integer == 1)
        #expect(answers.map { $0["id"].integer } == Array(1...answers.count))
        #expect(answers.allSatisfy { $0.reason == "shutting_down" })
    }

    @Test func `answers also what was read and had not had its turn`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        // Many more than a turn takes, in one read behind the word to stop.
        let pings = (2...500).map { #"{"id":\#($0),"method":"ping"}"# }
        try client.send(([#"{"id":1,"method":"engine.stop"}"#] + pings).joined(separator: "\n"))
        let answers = try client.allLines().map(JSON.init(parsing:))
        #expect(answers.map { $0["id"].integer } == Array(1...500))
        #expect(answers.dropFirst().allSatisfy { $0.reason == "shutting_down" })
        #expect(daemon.waitForExit() == 0)
    }

    @Test func `asks every subscriber of the engine to come back at another time`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let clients = try (0..<100).map { _ in try daemon.connect() }
        for client in clients { _ = try client.ask("watch engine") }
        #expect(daemon.terminate() == 0)
        var delays: [Int] = []
        for client in clients {
            let data = try client.json()["params", "data"]
            #expect(data["event"].string == "stop")
            #expect(data["phase"].string == "will")
            #expect(data["reason"].string == "SIGTERM")
            delays.append(try #require(data["reconnect_after_ms"].integer))
            #expect(try client.line() == nil)
        }
        #expect(Set(delays).count == clients.count)
        let spread = try #require(delays.max()) - #require(delays.min())
        #expect(spread > 1_500)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `comes at once with a second signal`(signal: Int32) throws {
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "3600", "--limit", "shutdown_grace_ms=600000"])
        let client = try daemon.connect()
        try client.send(#"{"id":1,"method":"user.fetch"}"#)
        _ = try client.ask(#"{"id":2,"method":"ping"}"#)
        daemon.signal(signal)
        #expect(daemon.log.wait(for: "stopping: "))
        daemon.signal(signal)
        #expect(daemon.waitForExit() == 0)
        #expect(client.isCutOff())
    }

    @Test func `is not put off by one that has half-closed and reads nothing`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["shutdown_grace_ms": 100]), store: "memory")
        let observer = try daemon.connect()
        let stalled = try daemon.connectStalled(seenBy: observer)
        stalled.finishSending()
        #expect(try observer.ask("ping")["result"] != .null)
        #expect(daemon.terminate() == 0)
    }

    @Test func `may be asked for on the socket`() throws {
        let daemon = try RunningDaemon()
        let (client, watcher) = (try daemon.connect(), try daemon.connect())
        _ = try watcher.ask("watch engine")
        #expect(try client.ask(#"{"id":1,"method":"engine.stop"}"#)["result"] == .object([:]))
        #expect(try client.line() == nil)
        #expect(
            try watcher.json()["params", "data", "reason"].string?.contains("uid") == true)
        #expect(daemon.waitForExit() == 0)
    }

    @Test func `does not come by a hundred reloads`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("fetch")
        for _ in 0..<100 { daemon.signal(SIGHUP) }
        #expect(daemon.log.wait(for: "reloaded"))
        #expect(try client.ask("rename Ada")["result"] != .null)
        #expect(daemon.terminate() == 0)
    }
}
