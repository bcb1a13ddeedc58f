// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

/// Changes that are on disk before they are answered, beside the least that makes bytes durable on the same disk.
struct DurableBenchmark {
    private static let rounds = 5
    private static let changes = 2_000
    private static let syncs = 500
    /// What a commit of one change writes: a frame of the log for each of the pages that it touches.
    private static let commitBytes = 12_288

    func run(into table: inout Table) throws {
        let daemon = try RunningDaemon()
        _ = try daemon.connect().ask("fetch")
        let load = try Load(to: daemon.socketPath)
        for (connections, target) in [(1, 3.0), (50, 1.0 / 3)] {
            try table.add(
                "a durable rename, \(connections) connections; floor: one fsync at a time", "us",
                .times(target), times: Self.rounds
            ) {
                try syncAlone(in: daemon.folder)
            } here: {
                try load.requests(
                    #"{"id":1,"method":"user.rename","params":{"name":"Ada"}}"#,
                    connections: connections, inFlight: 1,
                    count: connections * Self.changes / 10
                ).nanosecondsEach / 1_000
            }
        }
        load.close()
        try pages(into: &table)
    }

    /// Appending to a file and waiting until the disk has it, in microseconds.
    private func syncAlone(in folder: URL) throws -> Double {
        let path = folder.path + "/floor"
        let file = unsafe open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestFailure("\(path): errno \(errno)") }
        defer { close(file) }
        let bytes = [UInt8](repeating: 0x55, count: Self.commitBytes)
        let beginning = ContinuousClock.now
        for _ in 0..<Self.syncs {
            guard unsafe write(file, bytes, bytes.count) == bytes.count, fdatasync(file) == 0 else {
                throw TestFailure("\(path) cannot be written: errno \(errno)")
            }
        }
        return nanoseconds(since: beginning) / Double(Self.syncs) / 1_000
    }

    /// Appending a page to a list that is short, and to one that is long.
    private func pages(into table: inout Table) throws {
        let film = try MovieFile(count: 10_000, overviewBytes: 300)
        let daemon = try RunningDaemon(RunningDaemon.demo + ["--movies", "file:\(film.path)"])
        let client = try daemon.connect()
        var figures: [Double] = []
        for _ in 0..<500 {
            let beginning = ContinuousClock.now
            _ = try client.ask("more")
            figures.append(nanoseconds(since: beginning) / 1_000)
        }
        table.add(
            "a page more, to 20 and to 10,000 movies", "us",
            floor: median(of: Array(figures[1..<40])),
            median(of: Array(figures.suffix(40))), .times(1.5))
        try longestTurn(of: client, into: &table)
    }

    /// What keeps the loop from everyone else: lines of the longest length, and a list of the longest.
    private func longestTurn(of client: LineClient, into table: inout Table) throws {
        _ = try client.ask("stats")
        let padding = String(repeating: " ", count: 65_000)
        for _ in 0..<200 {
            _ = try client.ask(#"{"id":1,\#(padding)"method":"user.get"}"#)
        }
        var offset = 0
        while offset < 10_000 {
            let answer = try client.ask(
                #"{"id":1,"method":"movies.get","params":{"offset":\#(offset),"limit":500}}"#)
            offset = answer["result", "next"].integer ?? 10_000
        }
        let lag = try client.ask("stats")["result", "loop_lag_ms"].integer
        table.add(
            "the longest turn, with lines of 64 KiB and 10,000 movies", "ms", floor: nil,
            lag.map { Double($0) }, .atMost(10))
    }
}
