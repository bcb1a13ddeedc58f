// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherEventLoop

@Suite struct TimerTests {
    @Test func `Timers fire in the order of their times`() throws {
        try withLoop { loop in
            let record = Record()
            let late = Timer(on: loop) {
                record.note("late")
                loop.stop()
            }
            let early = Timer(on: loop) { record.note("early") }
            late.start(afterMilliseconds: 20)
            early.start(afterMilliseconds: 5)
            let wasActive = early.isActive
            loop.runUntilStopped()
            #expect(record.entries == ["early", "late"])
            let isActive = early.isActive
            #expect(wasActive && !isActive)
        }
    }

    @Test func `A repeating timer fires until it is stopped`() throws {
        try withLoop { loop in
            var count = 0
            let timer = Timer(on: loop) { count += 1 }
            timer.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            loop.run(until: { count >= 3 })
            timer.stop()
            let reached = count
            loop.turnOnce()
            #expect(count == reached)
            let isActive = timer.isActive
            #expect(!isActive)
        }
    }

    @Test func `Starting a timer again replaces its time`() throws {
        try withLoop { loop in
            var count = 0
            let timer = Timer(on: loop) {
                count += 1
                loop.stop()
            }
            timer.start(afterMilliseconds: 60_000)
            timer.start(afterMilliseconds: 1)
            loop.runUntilStopped()
            #expect(count == 1)
        }
    }

    @Test func `A dropped timer does not fire`() throws {
        try withLoop { loop in
            var count = 0
            do {
                let timer = Timer(on: loop) { count += 1 }
                timer.start(afterMilliseconds: 0)
            }
            loop.turnOnce()
            #expect(count == 0)
        }
    }

    @Test func `A timer may be dropped by its own callback`() throws {
        final class Owner {
            var timer: Timer?
        }
        try withLoop { loop in
            let owner = Owner()
            var count = 0
            owner.timer = Timer(on: loop) {
                count += 1
                owner.timer = nil
            }
            owner.timer?.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            loop.run(until: { count > 0 })
            loop.turnOnce()
            #expect(count == 1)
        }
    }
}
