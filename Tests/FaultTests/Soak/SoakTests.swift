// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// A long run with faults at random: `make soak`.
///
/// Half of the time is one life of the daemon, whose memory must be flat, half of it many short lives, after each of which all that was acknowledged must be there.
@Suite(.serialized, .timeLimit(.minutes(1_500)), .enabled(if: Soak.minutes > 0))
struct `A soak` {
    @Test func `of one life leaves memory, descriptors and log as they were`() throws {
        let soak = try Soak("one life")
        var samples: [Sample] = []
        try soak.run { soak, step in
            if step.isMultiple(of: 20) { try soak.workload.history.audit(soak.daemon) }
            if step.isMultiple(of: 200) { try soak.workload.compare(with: soak.daemon) }
            if let sample = try soak.sampleIfDue() { samples.append(sample) }
        }
        let trend = try #require(Trend(samples))
        print("soak: \(trend)")
        #expect(trend.growth < Trend.toleratedGrowth)
        #expect(trend.moreDescriptors <= 2)
        #expect(trend.largestLog <= 64 << 20)
        #expect(soak.daemon.terminate() == 0)
        #expect(try soak.daemon.damage() == nil)
    }

    @Test func `of many lives loses nothing that was acknowledged`() throws {
        let soak = try Soak("many lives")
        var lives = 1
        try soak.run { soak, step in
            _ = try soak.sampleIfDue()
            guard step.isMultiple(of: 20) else { return }
            try soak.endLife(inOrder: lives.isMultiple(of: 5))
            lives += 1
        }
        print(
            "soak: \(lives) lives, \(soak.workload.history.acknowledged) changes acknowledged, 0 lost"
        )
    }
}

/// A daemon, the clients that mind, and those that misbehave.
final class Soak {
    /// How long a soak takes in all; none unless asked for.
    static let minutes = number("USHER_SOAK_MINUTES") ?? 0
    private static let seed = UInt64(number("USHER_SOAK_SEED") ?? 1)
    private static let secondsBetweenSamples: TimeInterval = 2

    private static func number(_ variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }

    let daemon: RunningDaemon
    let workload: Workload
    private let name: String
    private let movies: MovieFile
    private let crowd = Crowd()
    private var random = SplitMix(seed: Soak.seed)
    private let start = Date.now
    private var lastSample = Date.distantPast
    private var lastReport = Date.distantPast

    init(_ name: String) throws {
        self.name = name
        movies = try MovieFile(count: 200, overviewBytes: 300)
        daemon = try RunningDaemon([
            "--users", "demo", "--demo-delay", "0.002", "--demo-failure-rate", "0.1",
            "--movies", "file:\(movies.path)",
        ])
        workload = Workload(movies: 200)
        print("soak, \(name): seed \(Self.seed)")
        try workload.connect(to: daemon)
    }

    private var seconds: TimeInterval { Date.now.timeIntervalSince(start) }

    /// Does one thing after another for half of the time; `mind` is called behind each.
    func run(_ mind: (Soak, _ step: Int) throws -> Void) throws {
        var step = 0
        while seconds < TimeInterval(Self.minutes) * 60 / 2 {
            step += 1
            try workload.round()
            try misbehave()
            try mind(self, step)
            try #require(workload.history.faults == [], "\(name), step \(step)")
        }
        try workload.history.audit(daemon)
        try workload.compare(with: daemon)
        #expect(workload.history.faults == [])
        #expect(workload.history.lost == 0)
    }

    private func misbehave() throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: try workload.cutSubscriber(Int.random(in: 0..<4, using: &random), of: daemon)
        case 2: try cutWriter()
        case 3: try crowd.joinStalled(daemon)
        case 4: try crowd.joinWithHalfALine(daemon)
        case 5: try crowd.floodAndLeave(daemon)
        case 6: try crowd.comeAndGo(daemon)
        case 7: try crowd.sayNonsense(daemon)
        case 8: try failUpstream()
        case 9: try fetchUsers()
        case 10 where Int.random(in: 0..<10, using: &random) == 0:
            try workload.renewSubscribers(of: daemon)
        default: break
        }
    }

    /// Loses a connection with changes under way on it.
    private func cutWriter() throws {
        let writer = workload.writers[1]
        for _ in 0..<3 { try writer.rename(1) }
        writer.cut()
        try writer.connect(daemon.connect())
    }

    /// Loads users, which fails now and then.
    private func fetchUsers() throws {
        for user in 0...3 { try workload.writers[0].fetch(user) }
        try workload.writers[0].catchUp()
    }

    /// Takes the movies' source away for one refresh.
    private func failUpstream() throws {
        let away = movies.path + ".away"
        try FileManager.default.moveItem(atPath: movies.path, toPath: away)
        let writer = workload.writers[0]
        try writer.refresh()
        try writer.growList()
        try writer.catchUp()
        try FileManager.default.moveItem(atPath: away, toPath: movies.path)
    }

    /// Ends the daemon with changes under way, by force or in order, and starts it again.
    func endLife(inOrder: Bool) throws {
        for writer in workload.writers {
            for user in 0...1 { try writer.rename(user) }
            try writer.growList()
        }
        usleep(UInt32.random(in: 0..<3_000, using: &random))
        if inOrder { #expect(daemon.terminate() == 0) } else { daemon.kill() }
        try workload.takeRest()
        crowd.leave()
        #expect(try daemon.damage() == nil)
        try daemon.restart()
        try workload.history.audit(daemon)
        try workload.connect(to: daemon)
    }

    /// Takes figures, and tells them once a minute.
    func sampleIfDue() throws -> Sample? {
        guard Date.now.timeIntervalSince(lastSample) >= Self.secondsBetweenSamples else {
            return nil
        }
        lastSample = .now
        let sample = try Sample(of: daemon, at: seconds)
        if Date.now.timeIntervalSince(lastReport) >= 60 {
            lastReport = .now
            let history = workload.history
            print(
                "soak, \(name), \(Int(seconds) / 60) min: \(sample), \(history.acknowledged) changes"
                    + " acknowledged, \(history.audits) audits, \(history.lost) lost")
        }
        return sample
    }
}
