// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Walks seeds in one process for each processor, since a walk has a process to itself and may end it.
final class Supervisor {
    private let seeds: UInt64
    private var tally = Tally()
    private var failures: [String] = []

    init(seeds: UInt64) { self.seeds = seeds }

    /// Walks all and prints what came of it; gives the status to exit with.
    func run() -> Int32 {
        let begin = ContinuousClock.now
        let count = Int(min(UInt64(ProcessInfo.processInfo.activeProcessorCount), seeds))
        let outcomes = Mutex<[Outcome]>([])
        DispatchQueue.concurrentPerform(iterations: count) { [seeds] index in
            let outcome = Outcome(ofPart: index, of: count, through: seeds)
            outcomes.withLock { $0.append(outcome) }
        }
        for outcome in outcomes.withLock({ $0 }) { take(outcome) }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        guard failures.isEmpty else {
            for failure in failures { print(failure) }
            return 1
        }
        let isWhole = report()
        let rate = Int(Double(seeds) / seconds)
        print("\(seeds) seeds, \(Int(seconds)) s, \(rate) seeds a second on \(count) processors")
        return isWhole ? 0 : 1
    }

    private func take(_ outcome: Outcome) {
        var seed = "?"
        let known = failures.count
        for line in outcome.output.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2)
            switch words.first {
            case "at" where words.count == 2: seed = String(words[1])
            case "broken" where words.count == 3: fail(String(words[1]), String(words[2]))
            case "count" where words.count == 3:
                if let fault = Fault(rawValue: String(words[2])), let count = Int(words[1]) {
                    tally.add(count, of: fault)
                }
            default: break
            }
        }
        if outcome.status != 0, failures.count == known { fail(seed, "the daemon trapped") }
    }

    private func fail(_ seed: String, _ what: String) {
        failures.append("seed \(seed): \(what)\nto see it: make simulate SEED=\(seed)")
    }

    /// Prints how often everything happened; false if something never did.
    private func report() -> Bool {
        var isWhole = true
        for fault in Fault.allCases {
            let count = tally.counts[fault] ?? 0
            if count == 0 { isWhole = false }
            print(
                "\(String(count).leftPadded(9))  \(fault.rawValue)\(count == 0 ? ": NEVER HAPPENED" : "")"
            )
        }
        return isWhole
    }
}

/// What a process printed that walked some of the seeds.
private struct Outcome {
    let output: String
    let status: Int32

    /// Starts the process and waits for its end.
    init(ofPart part: Int, of parts: Int, through seeds: UInt64) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["--part", "\(part)", "\(seeds)", "\(parts)"]
        process.standardOutput = pipe
        do {
            try process.run()
        } catch {
            output = "broken \(part) \(error)"
            status = 1
            return
        }
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }
}

extension String {
    fileprivate func leftPadded(_ length: Int) -> String {
        String(repeating: " ", count: max(0, length - count)) + self
    }
}
