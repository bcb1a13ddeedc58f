// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// What a daemon takes while it does nothing: memory, time to start, and no time at all.
struct FootprintBenchmark {
    private static let starts = 5
    private static let subscribers = 10_000

    func run(into table: inout Table) throws {
        var times: [Double] = []
        for _ in 0..<Self.starts {
            let beginning = ContinuousClock.now
            let daemon = try RunningDaemon()
            _ = try daemon.connect().ask("ping")
            times.append(nanoseconds(since: beginning) / 1_000_000)
        }
        table.add("start to the first answer", "ms", floor: nil, median(of: times), .atMost(100))

        let daemon = try RunningDaemon(
            RunningDaemon.demo + [
                "--limit", "clients=10100", "--limit", "clients_per_uid=10100",
            ], store: "memory")
        _ = try daemon.connect().ask("fetch")
        let idle = try daemon.residentBytes
        table.add("resident memory, idle", "MB", floor: nil, Double(idle) / 1e6, .atMost(20))
        let before = try daemon.processorMilliseconds
        usleep(2_000_000)
        table.add(
            "processor time in two idle seconds", "ms", floor: nil,
            Double(try daemon.processorMilliseconds - before), .atMost(0))
        let load = try Load(to: daemon.socketPath)
        try load.subscribed(
            #"{"id":1,"method":"subscribe","params":{"topic":"user"}}"#, by: Self.subscribers
        ) {
            let each = Double(try daemon.residentBytes - idle) / Double(Self.subscribers)
            table.add(
                "memory for each of 10,000 subscribers", "bytes", floor: nil, each, .atMost(4_096))
        }
        load.close()
    }
}
