// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherEventLoop

struct `Busy polling` {
    private let limit: UInt64 = 50_000

    /// What a loop makes of work that came after so many nanoseconds each.
    private func after(_ waits: [UInt64], limit: UInt64? = nil) -> (poll: BusyPoll, now: UInt64) {
        var poll = BusyPoll()
        poll.limit = limit ?? self.limit
        // The first work comes after no wait that means anything.
        var now: UInt64 = 1_000_000_000
        poll.worked(from: now, to: now)
        for wait in waits {
            now += wait
            poll.worked(from: now, to: now + 1)
            now += 1
        }
        return (poll, now)
    }

    private func polls(after waits: [UInt64], limit: UInt64? = nil) -> Bool {
        let (poll, now) = after(waits, limit: limit)
        return poll.polls(at: now)
    }

    private func waits(_ count: Int, _ wait: UInt64 = 1_000) -> [UInt64] {
        Array(repeating: wait, count: count)
    }

    @Test(arguments: [1, 50_000, 150_000] as [UInt64])
    func `begins when eight waits were short, as far as they were not the sleep's own`(
        wait: UInt64
    ) {
        #expect(!polls(after: waits(7, wait)))
        #expect(polls(after: waits(8, wait)))
    }

    @Test func `does not begin after long waits, nor after short and long ones in turns`() {
        #expect(!polls(after: waits(100, 150_001)))
        #expect(!polls(after: (0..<100).flatMap { _ in waits(7) + [150_001] }))
        // A long one among many takes some of them back.
        #expect(!polls(after: waits(7) + [150_001] + waits(7)))
        #expect(polls(after: waits(7) + [150_001] + waits(8)))
    }

    @Test func `ends with its time`() {
        let (poll, now) = after(waits(8))
        #expect(poll.polls(at: now + limit - 1))
        #expect(!poll.polls(at: now + limit))
    }

    @Test func `goes on as long as work comes within its time`() {
        #expect(polls(after: waits(8) + waits(30, 50_000)))
    }

    @Test func `that has paid for long goes on after one long wait, but not after two`() {
        let long = waits(100)
        #expect(polls(after: long + [50_001]))
        #expect(!polls(after: long + [50_001, 50_001]))
        #expect(!polls(after: long + [50_001, .max / 2]))
        #expect(polls(after: long + [50_001] + waits(8) + [50_001]))
    }

    @Test func `that was in vain is tried half as often each time`() {
        var history = waits(8) + [50_001]
        for needed in [16, 32, 64, 128, 256, 512, 1_024, 1_024] {
            #expect(!polls(after: history))
            #expect(!polls(after: history + waits(needed - 1)))
            history += waits(needed)
            #expect(polls(after: history))
            history += [50_001]
        }
    }

    @Test func `that pays again is tried as often as before`() {
        let inVain = waits(8) + [50_001] + waits(16) + [50_001] + waits(32)
        // Seven times do not make up for it, eight do.
        #expect(!polls(after: inVain + waits(7) + [50_001] + waits(63)))
        #expect(polls(after: inVain + waits(7) + [50_001] + waits(64)))
        #expect(polls(after: inVain + waits(8) + [50_001]))
        #expect(!polls(after: inVain + waits(8) + [50_001, 50_001] + waits(15)))
        #expect(polls(after: inVain + waits(8) + [50_001, 50_001] + waits(16)))
    }

    @Test func `does not exist without a time`() {
        #expect(!polls(after: waits(100, 0), limit: 0))
    }

    @Test func `is taken up by a loop whose peer is quick, and ends with its time`() throws {
        try withLoop { loop in
            // So long that no pause of the machine is a long wait.
            loop.busyPollMicroseconds = 60_000_000
            let (connection, peer) = try Peer.connected(on: loop)
            connection.startReading()
            func sends(_ count: Int) {
                for _ in 0..<count {
                    peer.send("a")
                    loop.turnOnce()
                }
            }
            sends(5)
            #expect(loop.turnsOfRest() <= 4)
            sends(5)
            // Nothing more comes, and yet the loop turns.
            loop.run(turns: 1_000)
            loop.busyPollMicroseconds = 1
            #expect(loop.turnsOfRest() <= 4)
            connection.close()
        }
    }
}
