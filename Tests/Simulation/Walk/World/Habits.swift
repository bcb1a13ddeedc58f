// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherDaemon
import UsherWire

/// How the world of one walk is: drawn anew for each seed, so that some are crowded, some broken, some nearly calm.
///
/// With the same habits everywhere, rare things would seldom meet.
struct Habits {
    let steps: Int
    let peers: Int
    let capacities: [Int]
    /// Shares of a hundred steps.
    let killing: Int
    let stopping: Int
    let reloading: Int
    let breaking: Int
    let losing: Int
    let stalling: Int
    let leaving: Int
    let waiting: Int
    let asking: Int
    let malformed: Int
    /// How often a turn follows a step: the less, the more happens at once.
    let turning: Int
    /// Whether somebody renames a user more often than is remembered.
    let isStormy: Bool
    let arguments: [String]
    let stallMilliseconds: UInt64
    let partialLineMilliseconds: UInt64

    static let controlGroup: UInt32 = 4_100_000_001
    static let adminGroup: UInt32 = 4_100_000_002

    init(_ chance: Chance) {
        steps = 100 + chance.below(500)
        isStormy = chance.percent(4)
        peers = 2 + chance.below(6)
        capacities = chance.pick([
            [Peer.ampleCapacity], [Peer.ampleCapacity, 3_000], [600, 5_000], [50],
        ])
        killing = chance.pick([0, 1, 3])
        stopping = chance.pick([0, 0, 1])
        reloading = chance.pick([0, 0, 1])
        breaking = chance.pick([0, 0, 2, 6])
        losing = chance.pick([0, 0, 20, 50])
        stalling = chance.pick([0, 2, 6])
        leaving = chance.pick([1, 4])
        waiting = chance.pick([2, 8])
        asking = chance.pick([20, 40, 70])
        malformed = chance.pick([0, 3, 10])
        turning = chance.pick([20, 50, 90])
        stallMilliseconds = chance.pick([1_000, 60_000])
        partialLineMilliseconds = chance.pick([2_000, 30_000])
        let limits = [
            "clients": chance.pick([peers - 1, 100]), "clients_per_uid": chance.pick([2, 100]),
            "subscriptions": chance.pick([2, 64]), "deferred_requests": chance.pick([1, 4, 32]),
            "unsent_bytes": isStormy ? 500 : chance.pick([500, 8_000, 262_144]),
            "stall_ms": Int(stallMilliseconds), "stall_when_full_ms": 1_000,
            "partial_line_ms": Int(partialLineMilliseconds),
        ]
        arguments =
            [
                "usherd", "--socket", "/run/simulated.sock", "--store", "memory",
                "--control-group", "\(Self.controlGroup)", "--admin-group", "\(Self.adminGroup)",
            ] + limits.sorted { $0.key < $1.key }.flatMap { ["--limit", "\($0.key)=\($0.value)"] }
    }
}
