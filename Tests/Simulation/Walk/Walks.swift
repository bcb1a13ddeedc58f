// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes a line at once: what a walk says last has to be seen also if the daemon traps.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Walks one seed and shows what happens.
func showOne(_ seed: UInt64) -> Int32 {
    var run = Run()
    do {
        let fingerprint = try run.walk(seed, isShown: true)
        say("seed \(seed): all promises kept; fingerprint \(String(fingerprint, radix: 16))")
        return 0
    } catch {
        say("seed \(seed): \(error)")
        return 1
    }
}

/// Walks every so many seeds of a range, and reports to the supervisor in lines: the seed at hand, then the counts.
func walkPart(first: UInt64, end: UInt64, stride step: UInt64) -> Int32 {
    var run = Run()
    for seed in stride(from: first, to: end, by: Int(step)) {
        say("at \(seed)")
        do {
            try run.check(seed)
        } catch {
            say("broken \(seed) \(error)")
            return 1
        }
    }
    for (fault, count) in run.tally.counts { say("count \(count) \(fault.rawValue)") }
    return 0
}
