// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A daemon whose disk is full: it says so to all who may care, and goes on by itself when there is space.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: MemoryFileSystem.isPermitted, "needs the right to mount a file system"))
struct `A daemon that cannot store` {
    private let disk: FullDisk
    private let manager: NotifySocket
    private let daemon: RunningDaemon

    init() throws {
        disk = try FullDisk()
        manager = try NotifySocket(disk.folder.path + "/n")
        daemon = try RunningDaemon(
            store: "sqlite:\(disk.mounted)/usher.db",
            environment: ["NOTIFY_SOCKET": manager.address])
        #expect(manager.next()?["READY"] == "1")
    }

    /// Renames until the disk is full; gives the last name that was stored.
    private func degrade(_ client: LineClient) throws -> String {
        var last = try client.ask("fetch")
        try disk.fill()
        for number in 0..<10_000 {
            let answer = try client.ask("rename n\(number)")
            guard let reason = answer.reason else {
                last = answer
                continue
            }
            #expect(reason == "degraded")
            return try #require(last["result", "state", "user", "name"].string)
        }
        throw TestFailure("the disk is never full")
    }

    /// Gives the space back, and waits until a rename is stored.
    private func recover(_ client: LineClient, name: String = "well") throws {
        try disk.empty()
        while try client.ask("rename \(name)").reason != nil { sched_yield() }
    }

    @Test func `marks what is read, in the last place, and no longer than it lasts`() throws {
        let client = try daemon.connect()
        let name = try degrade(client)
        let plain = #"{"jsonrpc":"2.0","id":1,"method":"user.get"}"#
        for line in [
            plain, "user", "movies", "watch user", "watch movies", "watch engine",
            #"{"id":2,"method":"hello"}"#,
        ] {
            try client.send(line)
            let text = try #require(try client.line())
            #expect(text.hasSuffix(#","degraded":true}}"#), "\(line): \(text)")
        }
        #expect(try client.ask(plain)["result", "state", "user", "name"].string == name)
        _ = try client.ask("unwatch engine")
        try recover(client)
        let other = try daemon.connect()
        for line in [plain, "user", "movies", "watch user", #"{"id":2,"method":"hello"}"#] {
            try other.send(line)
            #expect(try #require(try other.line()).contains("degraded") == false)
        }
    }

    @Test func `tells subscribers of anything, and nobody else`() throws {
        let plain = try daemon.connect()
        let watcher = try daemon.connect()
        let engine = try daemon.connect()
        let client = try daemon.connect()
        _ = try plain.ask(#"{"id":1,"method":"hello"}"#)
        _ = try watcher.ask("watch movies")
        _ = try engine.ask("watch engine")
        _ = try degrade(client)
        try recover(client)
        for isDegraded in [true, false] {
            #expect(
                try watcher.line()
                    == #"{"jsonrpc":"2.0","method":"health","params":{"degraded":\#(isDegraded)}}"#)
            let event = try engine.json()
            #expect(event["params", "data", "event"].string == (isDegraded ? "degrade" : "recover"))
            #expect(event["params", "data", "phase"].string == "did")
            #expect((event["params", "data", "reason"].string != nil) == isDegraded)
            #expect(try engine.json()["params", "degraded"].boolean == isDegraded)
        }
        // O7: who did not subscribe gets what it asks for and nothing else.
        #expect(try plain.ask("ping")["id"].integer == 2)
        #expect(try watcher.ask("ping")["id"].integer == 2)
    }

    @Test func `tells a subscriber once, with the reply or with a line of its own`() throws {
        let client = try daemon.connect()
        let late = try daemon.connect()
        _ = try degrade(client)
        #expect(try late.ask("watch movies")["result", "degraded"].boolean == true)
        #expect(try late.ask("watch user")["result", "degraded"].boolean == true)
        #expect(try late.ask("ping")["result"]["uptime_ms"].integer != nil, "and no line")
        _ = try late.ask("unwatch movies user")
        _ = try late.json()
        try recover(client)
        #expect(try late.ask("watch movies")["result", "degraded"] == .null)
        #expect(try late.ask("ping")["result"]["uptime_ms"].integer != nil, "and no line")
    }

    @Test func `tells statistics, the service manager and the log`() throws {
        let client = try daemon.connect()
        manager.drain()
        _ = try degrade(client)
        #expect(manager.next(with: "STATUS")?["STATUS"]?.contains("cannot be written") == true)
        #expect(try client.ask("stats")["result", "store", "degraded"].boolean == true)
        #expect(daemon.log.wait(for: "degraded: changes are refused until a write succeeds"))
        try recover(client)
        #expect(manager.next(with: "STATUS")?["STATUS"]?.contains("cannot be written") == false)
        #expect(try client.ask("stats")["result", "store", "degraded"].boolean == false)
        #expect(daemon.log.wait(for: "the store can be written again"))
    }

    @Test func `takes changes again as soon as it can, however many are always in flight`() throws {
        let client = try daemon.connect()
        _ = try degrade(client)
        let pipelines = try (0..<3).map { _ in try daemon.connect() }
        // More than a connection may have on their way to the store: the next ones are read already, and each refusal
        // starts one of them.
        let depth = 600
        for client in pipelines {
            for id in 1...depth { try client.send(Self.rename(id)) }
        }
        // Each answer is a reason to send another request: there is never a moment without some.
        var stored = [0, 0, 0]
        var refused = 0
        var refusedLate = 0
        for id in depth + 1...depth + 50_000 where stored.contains(where: { $0 < 3_000 }) {
            for (index, client) in pipelines.enumerated() {
                let answer = try client.json()
                if answer.reason == nil {
                    stored[index] += 1
                } else {
                    refused += 1
                    refusedLate += stored[index] > 0 ? 1 : 0
                }
                try client.send(Self.rename(id))
            }
            if refused == 6_000 { try disk.empty() }
        }
        #expect(refused >= 6_000 && stored.allSatisfy { $0 >= 3_000 })
        #expect(refusedLate == 0, "what is stored once more is stored from then on")
    }

    private static func rename(_ id: Int) -> String {
        #"{"id":\#(id),"method":"user.rename","params":{"name":"p\#(id)"}}"#
    }

    @Test func `takes the key of a change that it refused for a new one`() throws {
        let client = try daemon.connect()
        let name = try degrade(client)
        let line = #"{"id":1,"method":"user.rename","params":{"name":"keyed","key":"k"}}"#
        #expect(try client.ask(line).reason == "degraded")
        #expect(try client.ask("user")["result", "state", "user", "name"].string == name)
        try recover(client)
        #expect(try client.ask(line)["result", "state", "user", "name"].string == "keyed")
        try daemon.restart()
        #expect(
            try daemon.connect().ask(line)["result", "state", "user", "name"].string == "keyed")
    }
}

/// A small disk that can be full.
private final class FullDisk {
    let folder: URL
    private let fileSystem: MemoryFileSystem

    init() throws {
        folder = try temporaryFolder()
        let mounted = folder.appending(path: "disk")
        try FileManager.default.createDirectory(at: mounted, withIntermediateDirectories: false)
        fileSystem = try MemoryFileSystem(at: mounted.path, options: "size=24m")
    }

    deinit {
        fileSystem.unmount()
        try? FileManager.default.removeItem(at: folder)
    }

    var mounted: String { folder.path + "/disk" }
    private var filler: URL { folder.appending(path: "disk/filler") }

    /// Leaves no space.
    func fill() throws {
        try Data().write(to: filler)
        let file = try FileHandle(forWritingTo: filler)
        let page = Data(count: 4_096)
        while (try? file.write(contentsOf: page)) != nil {}
        try file.close()
    }

    func empty() throws { try FileManager.default.removeItem(at: filler) }
}
