// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: SmallDisk.isPossible, "needs root, for a mount namespace"))
struct `A full disk` {
    /// Until the log is full; or until the file is that the log is moved to, which the log has outgrown.
    @Test(arguments: [600, 6_000])
    func `refuses changes, serves all else, and is forgotten when space returns`(kilobytes: Int)
        throws
    {
        let disk = try SmallDisk(kilobytes: kilobytes)
        let movies = try MovieFile(count: 4_000, overviewBytes: 3_000)
        let daemon = try RunningDaemon(
            RunningDaemon.demo + ["--movies", "file:\(movies.path)"], store: disk.store,
            through: disk.wrapper)
        let history = History(movies: 4_000)
        let writer = Writer(0, history)
        try writer.connect(daemon.connect())
        let watcher = try daemon.connect()
        #expect(try watcher.ask("watch user")["result"] != .null)
        try writer.fetch(0)
        try writer.catchUp()
        while writer.refusals["degraded"] == nil {
            try writer.rename(0)
            if kilobytes > 1_000 { try writer.growList() }
            try writer.catchUp()
            // The topic remembers so many changes and no more.
            try history.audit(daemon)
        }
        try #require(history.acknowledged > 20)

        let reader = try daemon.connect()
        let refusal = try reader.ask("rename Ada")
        #expect(refusal.reason == "degraded")
        #expect(refusal["error", "data", "retryable"].boolean == true)
        #expect(refusal["error", "message"].string?.contains("no space is left") == true)
        for read in ["user", "movies limit=1", "ping", "stats", "clients"] {
            #expect(try reader.ask(read)["result"] != .null, "\(read)")
        }
        let sleeps = try daemon.sleeps
        usleep(200_000)
        #expect(try daemon.sleeps - sleeps <= 20)
        try history.audit(daemon)

        try disk.resize(kilobytes: 100_000)
        #expect(try eventually { try reader.ask("rename Grace")["result"] != .null })
        let state = try reader.ask("user")["result", "state"]
        while try watcher.json()["params", "data"] != state {}
        for _ in 0..<5 { try writer.rename(0) }
        try writer.catchUp()
        daemon.kill()
        try daemon.restart()
        try history.audit(daemon)
        #expect(history.faults == [])
    }

    @Test func `keeps a daemon from starting, which leaves its store as it was`() throws {
        let disk = try SmallDisk(kilobytes: 600)
        let daemon = try RunningDaemon(store: disk.store, through: disk.wrapper)
        let workload = Workload()
        try workload.connect(to: daemon)
        for _ in 0..<3 { try workload.round() }
        daemon.kill()
        try disk.fill()
        let before = try disk.files()
        #expect(try !daemon.restart(through: disk.wrapper))
        #expect(daemon.waitForExit() == 74)
        #expect(daemon.log.text.split(separator: "\n").count == 1)
        #expect(daemon.log.text.contains("no space is left for \(disk.folder.path)/usher.db"))
        // An attempt to write may leave something behind the log, which counts for nothing.
        let after = try disk.files()
        #expect(after.keys == before.keys)
        for (name, content) in before { #expect(after[name]?.starts(with: content) == true) }
        try disk.free()
        try daemon.restart()
        try workload.history.audit(daemon)
        #expect(workload.history.faults == [])
    }
}
