// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherEventLoop
import UsherStore

/// Tells the service manager that the daemon is alive, and only then: each sign of life goes from the loop through the
/// store's worker and back, so it stays away when either of them hangs.
struct Watchdog: ~Copyable {
    private let timer: Timer

    /// How many signs of life are given in the time that one is due in.
    private static let signsPerInterval: UInt64 = 3

    /// Starts; `sign` runs on the loop each time that loop and store answered.
    init(
        microseconds: UInt64, on loop: EventLoop, store: any ChangeLog,
        sign: @escaping () -> Void
    ) {
        let round = LoopBound(Round(sign), on: loop)
        let inbox = loop.inbox
        timer = Timer(on: loop) {
            guard !round.value.isUnderWay else { return }
            round.value.isUnderWay = true
            store.confirmAlive {
                inbox.post(to: round) { round in
                    round.isUnderWay = false
                    round.sign()
                }
            }
        }
        let interval = max(1, microseconds / 1_000 / Self.signsPerInterval)
        timer.start(afterMilliseconds: 0, repeatingMilliseconds: interval)
    }

    private final class Round {
        var isUnderWay = false
        let sign: () -> Void

        init(_ sign: @escaping () -> Void) { self.sign = sign }
    }
}
