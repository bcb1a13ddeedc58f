// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A timer on a loop; dropping it ends it.
package struct Timer: ~Copyable {
    private let state: TimerState

    package init(on loop: EventLoop, _ body: @escaping () -> Void) {
        loop.assertCurrent()
        state = TimerState(loop, body)
    }

    deinit { state.stop() }

    package func start(afterMilliseconds delay: UInt64, repeatingMilliseconds interval: UInt64 = 0)
    {
        state.start(after: delay, interval)
    }

    package func stop() { state.stop() }

    package var isActive: Bool { state.isActive }
}

final class TimerState {
    let id: Int
    private let loop: EventLoop
    private let body: () -> Void
    private var interval: UInt64 = 0
    private(set) var due: UInt64 = 0
    private(set) var isActive = false

    init(_ loop: EventLoop, _ body: @escaping () -> Void) {
        id = loop.makeID()
        self.loop = loop
        self.body = body
    }

    func start(after delay: UInt64, _ interval: UInt64) {
        stop()
        due = loop.now + delay
        self.interval = interval
        isActive = true
        loop.timers.append(self)
    }

    func stop() {
        guard isActive else { return }
        isActive = false
        loop.timers.removeAll { $0 === self }
    }

    func fire() {
        if interval > 0 { due = loop.now + interval } else { stop() }
        body()
    }
}
