// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The wall clock goes where it likes; nothing the daemon does depends on it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `A wall clock that jumps` {
    private static let hour = 3_600
    private static let tenYears = 10 * 365 * 24 * hour
    /// To a moment after midnight of the first day of 1970.
    private static var toTheEpoch: Int { 10 - Int(Date.now.timeIntervalSince1970) }

    @Test func `ends nothing early, orders nothing, and is outlived by the store`() throws {
        let clock = try WallClock()
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "0.3", "--demo-failure-rate", "0"],
            environment: clock.environment)
        let workload = Workload()
        try workload.connect(to: daemon)
        // A line without an end, a reader that owes nothing, a half-closed watcher.
        let slow = try daemon.connect()
        try slow.send(bytes: #"{"id":1,"method":"pi"#.utf8)
        let idle = try daemon.connect()
        let watcher = try daemon.connect()
        _ = try watcher.ask("watch engine")
        watcher.finishSending()
        for seconds in [Self.hour, -Self.hour, Self.tenYears, Self.toTheEpoch, 0] {
            let waiting = try daemon.connect()
            let before = try waiting.ask("ping")["result", "uptime_ms"].integer ?? 0
            // In flight while the clock jumps.
            try waiting.send(#"{"id":1,"method":"user.fetch","params":{"user":5}}"#)
            try clock.move(by: seconds)
            #expect(try waiting.json()["result", "state", "state"].string == "loaded", "\(seconds)")
            for _ in 0..<3 { try workload.round() }
            let uptime = try waiting.ask("ping")["result", "uptime_ms"].integer ?? 0
            #expect((before..<before + 60_000).contains(uptime), "\(seconds)")
            try workload.history.audit(daemon)
            #expect(try idle.ask("ping")["result"] != .null)
        }
        try slow.send(#"ng"}"#)
        #expect(try slow.json()["result"] != .null)
        #expect(!watcher.isReadable)
        for seconds in [Self.tenYears, Self.toTheEpoch, -Self.hour] {
            try clock.move(by: seconds)
            #expect(daemon.terminate() == 0)
            try workload.takeRest()
            try daemon.restart()
            // The clock did jump.
            let year = Calendar(identifier: .gregorian).component(
                .year, from: Date(timeIntervalSinceNow: TimeInterval(seconds)))
            #expect(daemon.log.text.hasPrefix("\(year)-"))
            try workload.connect(to: daemon)
            try workload.round()
            try workload.history.audit(daemon)
            try workload.compare(with: daemon)
        }
        #expect(workload.history.faults == [])
    }
}

/// The time of day as a process has it, by a library loaded before the C library.
private final class WallClock {
    private let folder: URL
    private let library: String
    private var file: String { folder.path + "/seconds" }

    init() throws {
        folder = try temporaryFolder()
        library = try preloaded("clock", in: folder)
        try move(by: 0)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var environment: [String: String] { ["LD_PRELOAD": library, "USHER_CLOCK": file] }

    /// Sets how many seconds it is away from this process's clock.
    func move(by seconds: Int) throws { try Data("\(seconds)".utf8).write(to: URL(filePath: file)) }
}
