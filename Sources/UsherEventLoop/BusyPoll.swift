// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Whether a loop that has nothing to do looks again at once ("busy polling") instead of going to sleep.
///
/// To sleep and be woken takes the scheduler twice, a halted processor's time to start and caches
/// that others filled meanwhile: more than most requests take, and a client that sends the next one
/// as soon as it has the answer waits for it each time. So where work keeps coming that fast, the
/// loop polls for somewhat longer than a sleep takes.
///
/// Whether that pays is guessed from the waits before: polling begins when enough of them were short,
/// and ends when it was in vain too often. That is when work comes less often, or when another
/// program wants the processor: to whom the loop yields, it comes back only after that program's time
/// is up, while one that sleeps is woken at once. Therefore exponential backoff: each time that
/// polling was in vain it takes twice as many short waits to begin again, until it pays again.
struct BusyPoll {
    /// Nanoseconds of polling before the loop sleeps after all; 0 never polls.
    var limit: UInt64 = 0
    private var phase = Phase.sleeping(shortWaits: 0)
    /// How many waits have to be short before polling begins.
    private var shortWaitsNeeded = leastShortWaits
    /// When the last turn with work in it was done.
    private var workEnded: UInt64 = 0

    private enum Phase {
        /// With how many waits were short lately.
        case sleeping(shortWaits: Int)
        /// With how many waits ended in time, less what those cost that did not.
        case polling(credit: Int)
    }

    /// Enough to tell a quick client from two requests that happen to be close.
    static let leastShortWaits = 8
    /// Polling in vain costs up to a scheduler's time slice, some milliseconds, which is little beside so many waits.
    static let mostShortWaits = 1_024
    /// What a long wait takes away from the count of either phase, to which a short one adds 1.
    static let longWaitCost = 8
    /// As much credit is kept: enough to go on after one long wait, not after two.
    static let mostCredit = 15
    /// What a wait is longer for being slept through, in nanoseconds: measured on a virtual machine.
    static let sleepTime: UInt64 = 100_000

    /// Takes note of a turn's work, from when it came to when it was done, in nanoseconds.
    mutating func worked(from start: UInt64, to end: UInt64) {
        let wait = start &- min(workEnded, start)
        workEnded = end
        switch phase {
        case .sleeping(let shortWaits):
            let count =
                wait <= limit + Self.sleepTime
                ? shortWaits + 1 : max(shortWaits - Self.longWaitCost, 0)
            phase = count >= shortWaitsNeeded ? .polling(credit: 0) : .sleeping(shortWaits: count)
        case .polling(let credit) where wait <= limit:
            phase = .polling(credit: min(credit + 1, Self.mostCredit))
            if credit + 1 == Self.longWaitCost { shortWaitsNeeded = Self.leastShortWaits }
        case .polling(let credit) where credit >= Self.longWaitCost:
            phase = .polling(credit: credit - Self.longWaitCost)
        case .polling:
            phase = .sleeping(shortWaits: 0)
            shortWaitsNeeded = min(shortWaitsNeeded * 2, Self.mostShortWaits)
        }
    }

    /// Whether to poll now instead of sleeping.
    func polls(at now: UInt64) -> Bool {
        guard case .polling = phase else { return false }
        return now &- workEnded < limit
    }
}
