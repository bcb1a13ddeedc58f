// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Whether a loop that has nothing to do looks again at once ("busy polling") instead of going to sleep.
///
/// To sleep and be woken takes the scheduler twice, a halted processor's time to start and caches
/// that others filled meanwhile: more than most requests take, and a client that sends the next one
/// as soon as it has the answer waits for it each time. So where work keeps coming that fast, the
/// loop polls for somewhat longer than a sleep takes.
///
/// Whether that pays is guessed from the waits before, as a processor guesses a branch. Where it does
/// not, it costs little: `limit` once in as many waits as a long one takes back.
struct BusyPoll {
    /// Nanoseconds of polling before the loop sleeps after all; 0 never polls.
    var limit: UInt64 = 0
    /// How many more waits were short than long lately, within bounds.
    private var confidence = 0
    /// When the last turn with work in it was done.
    private var workEnded: UInt64 = 0

    /// From how much confidence on the loop polls.
    static let confidenceNeeded = 8
    /// As much is remembered: enough to go on after one long wait, not after two.
    static let mostConfidence = 16
    /// What a long wait takes away; a short one adds 1.
    static let longWaitCost = 8
    /// What a wait is longer for being slept through, in nanoseconds: measured on a virtual machine.
    static let sleepTime: UInt64 = 100_000

    private var pays: Bool { confidence >= Self.confidenceNeeded }

    /// Takes note of a turn's work, from when it came to when it was done, in nanoseconds.
    mutating func worked(from start: UInt64, to end: UInt64) {
        let wait = start &- min(workEnded, start)
        if wait <= (pays ? limit : limit + Self.sleepTime) {
            confidence = min(confidence + 1, Self.mostConfidence)
        } else {
            confidence = max(confidence - Self.longWaitCost, 0)
        }
        workEnded = end
    }

    /// Whether to poll now instead of sleeping.
    func polls(at now: UInt64) -> Bool {
        pays && now &- workEnded < limit
    }
}
