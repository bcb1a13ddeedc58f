// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import UsherEventLoop

@Suite struct InboxTests {
    @Test func `Jobs of each thread run in the order in which they were posted`() throws {
        try withLoop { loop in
            let threads = 8
            let each = 2_000
            let record = Record()
            var seen = [Int](repeating: 0, count: threads)
            let arrival = LoopBound(
                { (thread: Int, number: Int) in
                    if seen[thread] != number { record.note("\(thread): \(number)") }
                    seen[thread] += 1
                    if seen.allSatisfy({ $0 == each }) { loop.stop() }
                }, on: loop)
            let inbox = loop.inbox
            for thread in 0..<threads {
                Thread.detachNewThread {
                    for number in 0..<each { inbox.post(to: arrival) { $0(thread, number) } }
                }
            }
            loop.runUntilStopped()
            #expect(record.entries == [])
            #expect(seen == Array(repeating: each, count: threads))
        }
    }

    @Test func `A job wakes a sleeping loop`() throws {
        try withLoop { loop in
            let inbox = loop.inbox
            let box = LoopBound(loop, on: loop)
            Thread.detachNewThread { inbox.post(to: box) { $0.stop() } }
            loop.runUntilStopped()
        }
    }

    @Test func `A job posted by a job runs in a later turn`() throws {
        try withLoop { loop in
            let record = Record()
            let box = LoopBound((loop, record), on: loop)
            let inbox = loop.inbox
            inbox.post(to: box) { (loop, record) in
                record.note("first")
                loop.atEndOfTurn { record.note("end of turn") }
                inbox.post(to: box) { (loop, record) in
                    record.note("second")
                    loop.stop()
                }
            }
            loop.runUntilStopped()
            #expect(record.entries == ["first", "end of turn", "second"])
        }
    }

    @Test func `A job posted to a closed loop is dropped, with all it holds`() throws {
        let loop = try EventLoop()
        let inbox = loop.inbox
        loop.close()
        var token: Token? = Token()
        weak let watched = token
        inbox.post { [token] in withExtendedLifetime(token) {} }
        token = nil
        #expect(watched == nil)
    }

    @Test func `Threads may post while the loop closes`() throws {
        for _ in 0..<50 {
            let loop = try EventLoop()
            let inbox = loop.inbox
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                for _ in 0..<100 { inbox.post {} }
                done.signal()
            }
            loop.turnOnce()
            loop.close()
            done.wait()
        }
    }

    @Test func `A box dropped on another thread gives its value back to the loop`() throws {
        try withLoop { loop in
            let record = Record()
            let inbox = loop.inbox
            func launch() {
                let box = LoopBound(
                    Goodbye { record.note(loop.isCurrent ? "on the loop" : "elsewhere") }, on: loop)
                let hold = Box<LoopBound<Goodbye>?>(box)
                Thread.detachNewThread {
                    // The loop's own reference goes first: the job runs after this function.
                    inbox.post { hold.dropElsewhere() }
                }
            }
            launch()
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries == ["on the loop"])
        }
    }
}

private final class Token: Sendable {}

/// Says when it is released.
private final class Goodbye {
    private let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    deinit { body() }
}

extension Box where Value == LoopBound<Goodbye>? {
    /// Releases the content on another thread.
    fileprivate func dropElsewhere() {
        Thread.detachNewThread { self.set(nil) }
    }
}
