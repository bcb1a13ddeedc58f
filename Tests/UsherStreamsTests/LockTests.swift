// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherStreams

/// C4 No lock is held while user code runs, deinitializers included.
///
/// The lock is not recursive: a test in which it is held ends in a deadlock or a trap.
struct LockTests {
    @Test func `C4 An observer may wait for another thread that uses the same stream`() {
        let stream = StateStream(0)
        let read = Slot<Int>()
        let subscription = stream.observe { value in
            guard value == 1 else { return }
            onThreads(1) { _ in
                read.put(stream.value)
                stream.observe { _ in }.cancel()
            }
        }
        stream.set(1)
        withExtendedLifetime(subscription) {}
        #expect(read.value == 1)
    }

    @Test func `C4 The first value is delivered without a lock, too`() {
        let stream = StateStream(7)
        let read = Slot<Int>()
        let subscription = stream.observe { _ in onThreads(1) { _ in read.put(stream.value) } }
        withExtendedLifetime(subscription) {}
        #expect(read.value == 7)
    }

    @Test func `C4 The value that an observer reads is the delivered one or a newer one`() {
        let stream = StateStream(0)
        let older = Tally()
        let subscription = stream.observe { value in
            if stream.value < value { older.add() }
        }
        onThreads(1) { _ in
            for value in 1...10_000 { stream.set(value) }
        }
        withExtendedLifetime(subscription) {}
        #expect(older.count == 0)
    }

    @Test func `C4 A replaced value may use its stream as it goes`() {
        let stream = StateStream<Token?>(nil)
        let log = Log<Int>()
        for number in 0..<3 {
            stream.set(
                Token(number) { [weak stream] in
                    log.append(number)
                    _ = stream?.value
                    stream?.observe { _ in }.cancel()
                })
        }
        #expect(log.entries == [0, 1])
    }

    @Test func `C4 What a closure captured may use the stream as it goes`() {
        let stream = EventStream<Int>()
        let log = Log<String>()
        func observe(_ name: String) -> Subscription {
            let token = Token {
                log.append(name)
                stream.send(0)
                stream.observe { _ in }.cancel()
            }
            return stream.observe { _ in _ = token }
        }
        observe("cancelled").cancel()
        let subscription = observe("finished")
        stream.finish()
        withExtendedLifetime(subscription) {}
        #expect(log.entries == ["cancelled", "finished"])
    }

    @Test func `C4 An event that a bound displaces may wait for the loop as it goes`() async {
        let stream = EventStream<Token>()
        let iterator = stream.buffering(.newest(1)).makeAsyncIterator()
        let isGoing = Gate()
        let isTaken = Gate()
        let loop = Task {
            var iterator = iterator
            await isGoing.waitAsync()
            let next = await iterator.next(isolation: nil)
            isTaken.unlock()
            return next?.number
        }
        let isSent = Gate()
        Thread {
            stream.send(
                Token(1) {
                    isGoing.unlock()
                    isTaken.wait()
                })
            stream.send(Token(2))
            isSent.unlock()
        }.start()
        await isSent.waitAsync()
        #expect(await loop.value == 2)
    }

    @Test func `C4 The last reference to a stream may go inside its own observer`() {
        let log = Log<Int>()
        let holder = Slot<StateStream<Int>>()
        let subscription = Slot<Subscription>()
        let stream = StateStream(0)
        holder.put(stream)
        subscription.put(
            stream.observe { value in
                guard value == 1 else { return }
                holder.put(nil)
                subscription.put(nil)
                log.append(value)
            })
        holder.value?.set(1)
        #expect(log.entries == [1])
    }

    @Test func `C4 Two streams whose observers are cancelled in opposite order do not deadlock`() {
        let left = StateStream(0)
        let right = StateStream(0)
        onThreads(2) { index in
            for round in 0..<10_000 {
                let first = left.observe { _ in }
                let second = right.observe { _ in }
                if index == 0 {
                    left.set(round)
                    first.cancel()
                    second.cancel()
                } else {
                    right.set(round)
                    second.cancel()
                    first.cancel()
                }
            }
        }
    }

    @Test func `C4 Two streams whose observers set each other do not deadlock`() {
        let left = StateStream(0)
        let right = StateStream(0)
        let toRight = left.observe { value in if value > right.value { right.set(value) } }
        let toLeft = right.observe { value in if value > left.value { left.set(value) } }
        onThreads(2) { index in
            for round in 1...5_000 { (index == 0 ? left : right).set(round) }
        }
        left.set(6_000)
        withExtendedLifetime((toRight, toLeft)) {}
        #expect(left.value == 6_000)
        #expect(right.value == 6_000)
    }
}
