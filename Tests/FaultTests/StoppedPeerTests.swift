// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// A peer that stands still is no matter to the others.
///
/// How long they wait is told and not judged: that is the machine's.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `A subscriber that is stopped` {
    @Test func `costs the others nothing and the daemon little`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        let changes = Faults.number(4_000, all: 20_000)
        let alone = try changeAndFollow(changes, writer, on: daemon)
        let stopped = try (0..<20).map { _ in
            let peer = try OtherPeer(
                daemon.socketPath, [.connect, .ask("subscribe topic=user mode=all"), .listen])
            _ = try peer.received(1)
            peer.process.signal(SIGSTOP)
            return peer
        }
        let memory = try daemon.residentBytes
        let beside = try changeAndFollow(changes, writer, on: daemon)
        #expect(try daemon.hasGrown(from: memory, byLessThan: 20 * 1_536 << 10))
        print("a change took (p50, p99) \(alone); beside 20 stopped subscribers \(beside)")
        for peer in stopped { peer.process.signal(SIGCONT) }
        // They hear of the gap and of the last state.
        for peer in stopped {
            #expect(peer.process.log.wait(for: "\"gap\":true"))
            #expect(peer.process.log.wait(for: "n\(changes - 1)\""))
        }
    }

    /// Makes changes one after another, each followed by five subscribers who get every one; how long each took.
    private func changeAndFollow(
        _ count: Int, _ writer: LineClient, on daemon: RunningDaemon
    ) throws -> String {
        let followers = try (0..<5).map { _ in
            let client = try daemon.connect()
            _ = try client.ask("subscribe topic=user mode=all")
            return client
        }
        var times: [Duration] = []
        for index in 0..<count {
            times.append(
                try ContinuousClock().measure {
                    _ = try writer.ask("rename n\(index)")
                    for follower in followers {
                        let name = try follower.json()["params", "data", "user", "name"].string
                        guard name == "n\(index)" else {
                            throw TestFailure("\(name ?? "") at \(index)")
                        }
                    }
                })
        }
        times.sort()
        let figures = [times[count / 2], times[count * 99 / 100]]
        return figures.map { $0.formatted(.units(allowed: [.microseconds])) }.joined(
            separator: ", ")
    }
}
