// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import UsherEventLoop

@Suite struct EventLoopTests {
    @Test func `A loop that did nothing closes cleanly`() throws {
        try withLoop { _ in }
    }

    @Test func `A loop knows its own thread`() throws {
        try withLoop { loop in
            #expect(loop.isCurrent)
            let box = LoopBound(loop, on: loop)
            let elsewhere = onOtherThread { box.isOpenable }
            #expect(elsewhere == false)
        }
    }

    @Test func `A stop before the run lets it return at once`() throws {
        try withLoop { loop in
            loop.stop()
            loop.runUntilStopped()
        }
    }

    @Test func `A stopped loop runs again`() throws {
        try withLoop { loop in
            var runs = 0
            for _ in 0..<3 {
                let timer = Timer(on: loop) {
                    runs += 1
                    loop.stop()
                }
                timer.start(afterMilliseconds: 0)
                loop.runUntilStopped()
            }
            #expect(runs == 3)
        }
    }

    @Test func `What is put off to the end of the turn runs once, in order, after the callbacks`()
        throws
    {
        try withLoop { loop in
            let record = Record()
            let first = Timer(on: loop) {
                loop.atEndOfTurn { record.note("end 1") }
                record.note("timer 1")
            }
            let second = Timer(on: loop) {
                loop.atEndOfTurn {
                    record.note("end 2")
                    loop.stop()
                }
                record.note("timer 2")
            }
            first.start(afterMilliseconds: 0)
            second.start(afterMilliseconds: 0)
            loop.runUntilStopped()
            loop.turnOnce()
            #expect(record.entries == ["timer 1", "timer 2", "end 1", "end 2"])
        }
    }

    @Test func `A body put off from the end of a turn runs in the next, without waiting`() throws {
        try withLoop { loop in
            var turns = 0
            func again() {
                turns += 1
                if turns == 5 { loop.stop() } else { loop.atEndOfTurn(again) }
            }
            loop.atEndOfTurn(again)
            loop.runUntilStopped()
            #expect(turns == 5)
        }
    }

    @Test func `The last turn is finished after a stop`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let timer = Timer(on: loop) {
                connection.write("bye\n")
                loop.stop()
            }
            timer.start(afterMilliseconds: 0)
            loop.runUntilStopped()
            #expect(try peer.receiveText() == "bye\n")
            connection.close()
        }
    }

    @Test func `The clock stands still within a turn and never goes back`() throws {
        try withLoop { loop in
            let before = loop.now
            let fine = EventLoop.monotonicNanoseconds()
            let timer = Timer(on: loop) { loop.stop() }
            timer.start(afterMilliseconds: 5)
            loop.runUntilStopped()
            #expect(loop.now >= before + 5)
            #expect(EventLoop.monotonicNanoseconds() > fine)
        }
    }

    @Test func `The longest turn is told once, and sleep is none of it`() throws {
        try withLoop { loop in
            let wait = Timer(on: loop) {
                // Nothing else can be done about a turn that takes long than to make one.
                let end = EventLoop.monotonicNanoseconds() + 20_000_000
                while EventLoop.monotonicNanoseconds() < end {}
                loop.atEndOfTurn { loop.stop() }
            }
            wait.start(afterMilliseconds: 40)
            loop.runUntilStopped()
            // The clock that tells when the loop woke counts whole milliseconds.
            #expect((19..<40_000).contains(loop.takeLongestTurn()))
            #expect(loop.takeLongestTurn() == 0)
        }
    }

    @Test func `A loop must be closed after its handles`() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            let timer = Timer(on: loop) {}
            loop.close()
            timer.stop()
        }
    }

    @Test func `A handle used on another thread stops the process`() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            let box = LoopBound(0, on: loop)
            _ = onOtherThread { box.value }
        }
    }
}
