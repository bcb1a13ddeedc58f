// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Whether a loop that has nothing to do looks again at once ("busy polling") instead of going to sleep.
///
/// To sleep and be woken takes the scheduler twice, a halted processor's time to start and caches
/// that others filled meanwhile: more than most requests take, and a client that sends the next one
/// as soon as it has the answer waits for it each time. So where work keeps coming that fast, the
/// loop polls for somewhat longer than a sleep takes.
///
/// Whether that pays is guessed from the waits before. It is tried when enough of them were short,
/// and given up when it was in vain too often: because work comes less often now, or because another
/// program wants the processor, which gets it while the loop polls, and is interrupted only for who
/// sleeps. After each such time it is tried half as often as before.
struct BusyPoll {
    /// Nanoseconds of polling before the loop sleeps after all; 0 never polls.
    var limit: UInt64 = 0
    private var isOn = false
    /// While off: how many waits were short lately.
    private var shortWaits = 0
    /// How many have to be.
    private var patience = leastPatience
    /// While on: how many waits ended in time, less what those cost that did not.
    private var credit = 0
    /// When the last turn with work in it was done.
    private var workEnded: UInt64 = 0

    static let leastPatience = 8
    static let mostPatience = 1_024
    /// What a long wait takes away from either count, to which a short one adds 1.
    static let longWaitCost = 8
    /// As much is remembered: enough to go on after one long wait, not after two.
    static let mostCredit = 15
    /// What a wait is longer for being slept through, in nanoseconds: measured on a virtual machine.
    static let sleepTime: UInt64 = 100_000

    /// Takes note of a turn's work, from when it came to when it was done, in nanoseconds.
    mutating func worked(from start: UInt64, to end: UInt64) {
        let wait = start &- min(workEnded, start)
        workEnded = end
        if isOn {
            judge(paid: wait <= limit)
        } else {
            shortWaits =
                wait <= limit + Self.sleepTime
                ? shortWaits + 1 : max(shortWaits - Self.longWaitCost, 0)
            isOn = shortWaits >= patience
        }
    }

    private mutating func judge(paid: Bool) {
        if paid {
            credit = min(credit + 1, Self.mostCredit)
            if credit == Self.longWaitCost { patience = Self.leastPatience }
        } else if credit >= Self.longWaitCost {
            credit -= Self.longWaitCost
        } else {
            isOn = false
            credit = 0
            shortWaits = 0
            patience = min(patience * 2, Self.mostPatience)
        }
    }

    /// Whether to poll now instead of sleeping.
    func polls(at now: UInt64) -> Bool {
        isOn && now &- workEnded < limit
    }
}
