// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherWire

struct SimulationTests {
    /// The seeds that are walked; `USHER_SEED=N swift test --filter SimulationTests` walks one alone.
    private static let seeds: [UInt64] = {
        if let seed = ProcessInfo.processInfo.environment["USHER_SEED"].flatMap({ UInt64($0) }) {
            return [seed]
        }
        return Array(0..<3_000)
    }()

    @Test
    func `Whatever happens in whatever order, every promise holds and everybody knows the end`() {
        var counts: [String: Int] = [:]
        for seed in Self.seeds {
            do throws(Violation) {
                var simulation = try Simulation(seed: seed)
                try simulation.walk(steps: 100)
                counts.merge(simulation.counts) { $0 + $1 }
            } catch {
                Issue.record("USHER_SEED=\(seed): \(error)")
                return
            }
        }
        guard Self.seeds.count > 1 else { return }
        // What never happened was not tested.
        for what in [
            "restart", "recovered", "again", "alike", "no_cursor", "epoch_changed", "ahead",
            "list_reset", "too_old",
            "gap", "skipped", "more", "reset", "degraded", "busy", "end_of_list", "timeout",
            "invalid_transition", "out_of_range", "again", "alike",
        ] {
            #expect(counts[what, default: 0] > 10, "\(what) hardly ever happened")
        }
    }
}
