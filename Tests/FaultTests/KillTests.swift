// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// Ends the daemon by SIGKILL at its n-th system call of a kind, for all n until a whole run has fewer.
///
/// A run starts the daemon, renames and pages and follows, and stops it in order. Once each n has a new store, once all
/// have one that has been through the kills before.
@Suite(
    .serialized, .timeLimit(.minutes(30)),
    .enabled(if: Injection.isPossible, "strace is not installed"))
struct `A daemon killed at any system call` {
    /// What a store and its answers are made of.
    ///
    /// It renames no file, and nothing may come to do so unnoticed.
    private static let calls = [
        "fdatasync", "fsync", "pwrite64", "write", "writev", "sendto", "recvfrom", "sendmsg",
        "unlink", "ftruncate", "rename",
    ]
    private static let neverCalled: Set = ["rename"]

    @Test func `loses nothing that it acknowledged`() throws {
        var kills = 0
        var acknowledged = 0
        for call in Self.calls {
            var tally = Tally()
            try sweep(call, keepingStore: false, &tally)
            try sweep(call, keepingStore: true, &tally)
            print(
                "killed at \(call): \(tally.kills) times, \(tally.acknowledged) changes acknowledged, \(tally.lost) lost"
            )
            #expect(tally.lost == 0)
            if Self.neverCalled.contains(call) { #expect(tally.kills == 0) }
            kills += tally.kills
            acknowledged += tally.acknowledged
        }
        print("\(kills) kills, \(acknowledged) changes acknowledged, 0 lost")
        #expect(kills >= Faults.number(40, all: 500))
    }

    private struct Tally {
        var kills = 0
        var acknowledged = 0
        var lost = 0
    }

    private func sweep(_ call: String, keepingStore: Bool, _ tally: inout Tally) throws {
        let daemon = try RunningDaemon()
        daemon.kill()
        try daemon.removeStore()
        var workload = Workload()
        // A sample takes larger and larger steps.
        var number = 1
        while true {
            if !keepingStore {
                try daemon.removeStore()
                workload = Workload()
            }
            let before = workload.history.acknowledged
            let injection = Injection.kill(at: call, number)
            let isKilled = try run(workload, on: daemon, under: injection)
            try judge(workload, on: daemon, after: injection)
            tally.acknowledged += workload.history.acknowledged - before
            if !keepingStore || !isKilled { tally.lost += workload.history.lost }
            guard isKilled else { return }
            tally.kills += 1
            number += Faults.number(number / 2 + 1, all: 1)
        }
    }

    /// Lets the clients work until the daemon is killed, or stops it; whether it was killed.
    private func run(
        _ workload: Workload, on daemon: RunningDaemon, under injection: Injection
    ) throws -> Bool {
        if try daemon.restart(through: injection.wrapper) {
            do {
                try workload.connect(to: daemon)
                for _ in 0..<8 { try workload.round() }
            } catch {
                // The stream ended; anything else is seen by what follows.
            }
            daemon.signal(SIGTERM)
        }
        let status = daemon.waitForExit()
        try workload.takeRest()
        try #require(status == 0 || status == -SIGKILL, "\(injection): \(daemon.log.text)")
        return status == -SIGKILL
    }

    private func judge(
        _ workload: Workload, on daemon: RunningDaemon, after injection: Injection
    ) throws {
        #expect(try daemon.damage() == nil, "\(injection)")
        try daemon.restart()
        try workload.history.audit(daemon)
        try workload.connect(to: daemon)
        try workload.round()
        try workload.history.audit(daemon)
        try workload.compare(with: daemon)
        try #require(workload.history.faults == [], "\(injection)")
        daemon.kill()
        try workload.takeRest()
    }
}
