// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

private let slow = ["--users", "demo", "--demo-delay", "1", "--demo-failure-rate", "0"]

extension RunningDaemon {
    /// What is answered to bytes after which the peer says that nothing more comes.
    fileprivate func answers(to text: String) throws -> [String] {
        let client = try connect()
        try client.send(bytes: text.utf8)
        client.finishSending()
        return try client.allLines()
    }

    /// Waits until only so many clients are connected, which the asking one is among.
    fileprivate func waitForClients(_ count: Int) throws -> Bool {
        let client = try connect()
        for _ in 0..<20_000
        where try client.ask("stats")["result", "clients", "connected"].integer == count {
            return true
        }
        return false
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The end of input` {
    @Test(arguments: [
        (#"{"id":1,"method":"sync"}"#, Answer.synced("1")),
        (#"[{"id":1,"method":"sync"}]"#, .line(#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#)),
        ("sync", .synced("1")), ("  sync", .synced("1")), ("\n\nsync", .synced("3")),
        (#"{"id":1,"method":"syn"#, .unreadable(-32700, "bad_json")),
        (#"{"id":1,"method":"sync"}x"#, .unreadable(-32700, "bad_json")),
        ("{\"id\":1,\"method\":\"sync\"}\0", .unreadable(-32700, "nul_byte", offset: 24)),
    ])
    func `ends the last line too`(text: String, expected: Answer) throws {
        let lines = try RunningDaemon().answers(to: text)
        try #require(lines.count == 1)
        #expect(expected.complaint(about: lines[0]) == nil, "\(lines)")
    }

    @Test(arguments: [
        "syn", "user.fetc", "rename Ad", "user.rename name=Ad", "watch use", "fetch wait=fals",
    ])
    func `does not execute typed words that may be cut short`(text: String) throws {
        let daemon = try RunningDaemon()
        _ = try daemon.connect().ask("fetch")
        let before = try daemon.connect().ask("user")["result"]
        let lines = try daemon.answers(to: text)
        #expect(lines.count == 1)
        #expect(try JSON(parsing: lines[0])["error"] != .null)
        #expect(try daemon.connect().ask("user")["result"] == before)
    }

    @Test(arguments: ["", "\n", "# sync", "\r\n", "\u{FEFF}"])
    func `of nothing is answered by nothing`(text: String) throws {
        #expect(try RunningDaemon().answers(to: text).isEmpty)
    }

    @Test func `lets everything accepted be answered`() throws {
        let daemon = try RunningDaemon(slow)
        let batch = #"[{"id":"a","method":"user.fetch"},{"id":"b","method":"sync"}]"#
        let text =
            "user\n\(batch)\n" + #"{"id":"c","method":"user.fetch","params":{"user":3}}"#
            + "\nrename Ada\nuser"
        let replies = try daemon.answers(to: text).map(JSON.init(parsing:))
        #expect(replies.count == 5)
        #expect(replies.first?["id"].integer == 1)
        // A batch, a call that waits, and typed lines that wait for both.
        #expect(replies.contains { $0[0]["result", "state", "state"].string == "loaded" })
        #expect(replies.contains { $0["id"].string == "c" })
        #expect(replies.last?["result", "state", "user", "name"].string == "Ada")
    }

    @Test func `lets far more be answered than the socket holds`() throws {
        let daemon = try RunningDaemon(RunningDaemon.demo, store: "memory")
        _ = try daemon.connect().ask("more")
        let client = try daemon.connect()
        for index in 1...300 { try client.send(#"{"id":\#(index),"method":"movies.get"}"#) }
        client.finishSending()
        var next = 1
        while let line = try client.line() {
            #expect(line.hasPrefix(#"{"jsonrpc":"2.0","id":\#(next),"result":"#))
            next += 1
        }
        #expect(next == 301)
    }

    @Test func `ends a connection that is owed nothing, with no wait`() throws {
        let daemon = try RunningDaemon([
            "--users", "demo", "--demo-delay", "20", "--demo-failure-rate", "0",
        ])
        let waiting = try daemon.connect()
        try waiting.send("fetch")
        for text in ["sync\n", "sync", "", #"{"method":"sync"}"#, "watch user\nunwatch user\n"] {
            _ = try daemon.answers(to: text)
        }
        // Each stream ended while that call went on, which takes as long as a wait could.
        #expect(!waiting.isReadable)
    }

    @Test func `leaves a watcher with its pushes until it goes`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        let watcher = try daemon.connect()
        try watcher.send("watch user")
        watcher.finishSending()
        var cursor = try watcher.json()["result", "cursor"]
        for round in 0..<100 {
            _ = try writer.ask("rename n\(round)")
            let push = try watcher.json()["params"]
            #expect(push["data", "user", "name"].string == "n\(round)")
            #expect(push["prev"] == cursor)
            cursor = push["cursor"]
        }
        let clients = try writer.ask("clients")["result", "items"].array
        #expect(clients.map { $0["topics"][0].string } == [nil, "user/0"])
        writer.close()
        #expect(try daemon.waitForClients(2))
        watcher.close()
        // Nothing is written to it, so only its hang-up tells.
        #expect(try daemon.waitForClients(1))
    }

    @Test func `leaves no load behind while a watcher only listens`() throws {
        let daemon = try RunningDaemon(slow, store: "memory")
        let watcher = try daemon.connect()
        try watcher.send("watch movies")
        watcher.finishSending()
        _ = try watcher.json()
        let client = try daemon.connect()
        let before = try processorTicks(of: daemon.pid)
        _ = try client.ask("fetch")
        // A loop that spins would have taken most of that second, which is 100 ticks.
        #expect(try processorTicks(of: daemon.pid) - before < 30)
    }

    @Test func `of a peer that does not read spoils nothing for it`() throws {
        let daemon = try RunningDaemon()
        let garbage = Array(repeating: UInt8(ascii: "x"), count: 150_000)
        for head in ["GET / HTTP/1.1\r\n", "HEAD / HTTP/1.0\r\n"] {
            let client = try daemon.connect()
            try client.send(bytes: Array(head.utf8) + garbage)
            // An unread rest of input would make this fail with ECONNRESET.
            let lines = try client.allLines()
            #expect(lines.count == 1)
            #expect(try JSON(parsing: lines[0]).reason == "bad_json")
        }
        for _ in 0..<200 {
            let client = try daemon.connect()
            try client.send(bytes: "sync\n".utf8)
            try client.send(bytes: garbage)
            client.finishSending()
            #expect(try client.allLines().count == 2)
        }
    }

    @Test func `of many peers at once, within a burst of pushes, harms nobody`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        let stayer = try daemon.connect()
        _ = try stayer.ask("subscribe topic=user mode=all")
        for round in 0..<10 {
            let watchers = try (0..<20).map { _ in try daemon.connect() }
            for (index, watcher) in watchers.enumerated() {
                try watcher.send("watch user movies engine")
                if index % 3 == 0 { watcher.finishSending() }
            }
            for index in 0..<50 {
                try writer.send(
                    #"{"method":"user.rename","params":{"name":"r\#(round)-\#(index)"}}"#)
                if index % 5 == 0 { watchers[index / 5 * 2].close() }
            }
            _ = try writer.ask("ping")
        }
        try stayer.send("sync")
        var names: [String?] = []
        while true {
            let line = try stayer.json()
            if line["id"].integer != nil { break }
            names.append(line["params", "data", "user", "name"].string)
        }
        #expect(names == (0..<10).flatMap { round in (0..<50).map { "r\(round)-\($0)" } })
    }

    @Test func `is not needed for others to be served while a line is half there`() throws {
        let daemon = try RunningDaemon()
        let half = try daemon.connect()
        try half.send(bytes: #"{"jsonrpc"#.utf8)
        let endless = try daemon.connect()
        try endless.send(bytes: Array(repeating: UInt8(ascii: "A"), count: 300_000))
        #expect(try endless.json().reason == "line_too_long")
        let before = try processorTicks(of: daemon.pid)
        let client = try daemon.connect()
        for _ in 0..<100 { #expect(try client.ask("ping")["result"] != .null) }
        #expect(try processorTicks(of: daemon.pid) - before < 100)
        try half.send(bytes: #"":"2.0","id":1,"method":"sync"}"#.utf8 + [0x0A])
        #expect(try half.json()["id"].integer == 1)
        try endless.send(bytes: "A\nsync\n".utf8)
        #expect(try endless.json()["id"].integer == 2)
    }
}

/// How much processor time a process took so far, in hundredths of a second.
private func processorTicks(of pid: Int32) throws -> Int {
    let fields = try shell("cat /proc/\(pid)/stat").output.split(separator: " ")
    guard fields.count > 14, let user = Int(fields[13]), let system = Int(fields[14]) else {
        throw TestFailure("/proc/\(pid)/stat cannot be read")
    }
    return user + system
}
