// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// What the system refuses is refused to clients; nothing is acknowledged that a disk did not take.
@Suite(
    .serialized, .timeLimit(.minutes(30)),
    .enabled(if: Injection.isPossible, "strace is not installed"))
struct `A system call that fails` {
    @Test func `is not tried again behind an answer, and is over when a write succeeds`() throws {
        let daemon = try RunningDaemon()
        let history = History()
        // The 20th flush of the store fails, and the four after it, which are of the store's own writes.
        let injection = Injection.fail("fdatasync", "EIO", "20..24")
        try #require(try daemon.restart(through: injection.wrapper))
        let writer = Writer(0, history)
        try writer.connect(daemon.connect())
        try writer.fetch(0)
        try writer.catchUp()
        while writer.refusals["degraded"] == nil {
            try writer.rename(0)
            try writer.catchUp()
        }
        let atFailure = history.acknowledged
        let reader = try daemon.connect()
        let refusal = try reader.ask("rename Ada")
        #expect(
            refusal.reason == "degraded" && refusal["error", "data", "retryable"].boolean == true)
        #expect(refusal["error", "message"].string?.contains("disk I/O error") == true)
        #expect(try reader.ask("user")["result", "state", "user"] != .null)
        #expect(
            try eventually {
                try writer.rename(0)
                try writer.catchUp()
                return history.acknowledged > atFailure
            })
        // One failure was a change's, one of what is written over it; three were attempts, and the fourth succeeded.
        #expect(try reader.ask("stats")["result", "store", "probes"].integer == 4)
        try history.audit(daemon)
        daemon.kill()
        #expect(try daemon.damage() == nil)
        try daemon.restart()
        try history.audit(daemon)
        #expect(history.faults == [])
    }

    /// What a socket's call says without having done anything is no reason to lose a connection or a byte.
    @Test(arguments: ["recvfrom", "sendto"], ["EINTR", "EAGAIN"])
    func `of a socket is called again where it did nothing`(call: String, error: String) throws {
        let daemon = try RunningDaemon(store: "memory")
        // Every second one of them.
        let injection = Injection.fail(call, error, "1+2")
        try #require(try daemon.restart(through: injection.wrapper))
        let workload = Workload()
        try workload.connect(to: daemon)
        for _ in 0..<Faults.number(5, all: 50) { try workload.round() }
        try workload.history.audit(daemon)
        try workload.compare(with: daemon)
        #expect(workload.history.faults == [])
        #expect(!daemon.log.text.contains("connection lost"))
    }

    /// A flush that fails leaves its transaction in the log, whole: it must not count when the daemon ends then.
    @Test func `does not bring back after a restart what was refused`() throws {
        let daemon = try RunningDaemon()
        _ = try daemon.connect().ask("more")
        let replica = Replica("movies", mode: "latest", on: try daemon.connect())
        try replica.subscribe()
        var refusals = 0
        for number in 1...8 {
            var injection = Injection.fail("fdatasync", "EIO", "\(number)+")
            injection.files = daemon.storePaths
            if try daemon.restart(through: injection.wrapper) {
                try replica.subscribe(on: daemon.connect())
                let client = try daemon.connect()
                for _ in 0..<2 {
                    refusals += try client.ask("more").reason == "degraded" ? 1 : 0
                    try replica.catchUp()
                }
            }
            try daemon.restart()
            try replica.subscribe(on: daemon.connect())
            try replica.catchUp()
            try #require(try replica.movies == daemon.connect().wholeList().movies, "\(injection)")
        }
        #expect(refusals > 2)
    }

    /// Calls of the store, and what they fail with.
    private static let failures = [
        ("fdatasync", "EIO"), ("pwrite64", "EIO"), ("pwrite64", "ENOSPC"), ("pread64", "EIO"),
        ("ftruncate", "EIO"), ("unlink", "EIO"), ("openat", "EIO"), ("flock", "EIO"),
        ("fcntl", "EIO"),
    ]

    @Test func `at any point loses nothing that was acknowledged`() throws {
        var failed = 0
        for (call, error) in Self.failures {
            for extent in ["", "+"] { failed += try sweep(call, error, extent) }
        }
        print("\(failed) failing calls, 0 changes lost")
        #expect(failed >= Faults.number(60, all: 500))
    }

    /// Lets the n-th call fail, or all from the n-th on, for growing n; gives how many runs there were.
    private func sweep(_ call: String, _ error: String, _ extent: String) throws -> Int {
        let daemon = try RunningDaemon()
        daemon.kill()
        var workload = Workload()
        let last = Faults.number(12, all: 60)
        var runs = 0
        var refusedStarts = 0
        var number = 1
        while number <= last {
            var injection = Injection.fail(call, error, "\(number)\(extent)")
            injection.files = daemon.storePaths
            // Every other store is new.
            if runs.isMultiple(of: 2) {
                try daemon.removeStore()
                workload = Workload()
            }
            if try daemon.restart(through: injection.wrapper) {
                try work(workload, on: daemon)
                daemon.signal(SIGTERM)
                #expect(daemon.waitForExit() == 0, "\(injection): \(daemon.log.text)")
            } else {
                refusedStarts += 1
                let status = daemon.waitForExit()
                #expect((65...78).contains(status), "\(injection): \(status), \(daemon.log.text)")
                #expect(daemon.log.text.split(separator: "\n").count == 1, "\(injection)")
            }
            try workload.takeRest()
            #expect(try daemon.damage() == nil, "\(injection)")
            try daemon.restart()
            try workload.history.audit(daemon)
            try #require(workload.history.faults == [], "\(injection)")
            daemon.kill()
            runs += 1
            number += Faults.number(number / 2 + 1, all: 1)
        }
        print("\(call) fails with \(error)\(extent): \(runs) runs, \(refusedStarts) refused starts")
        return runs
    }

    /// Changes that may be refused.
    private func work(_ workload: Workload, on daemon: RunningDaemon) throws {
        try workload.connect(to: daemon)
        for _ in 0..<4 { try workload.round() }
    }
}
