// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import UsherStreams

struct OrderTests {
    @Test func `C1 Everybody sees events in the order sent, called in the order they subscribed`() {
        let stream = EventStream<Int>()
        let log = Log<[Int]>()
        let subscriptions = (0..<40).map { observer in
            stream.observe { log.append([$0, observer]) }
        }
        for event in 0..<3 { stream.send(event) }
        withExtendedLifetime(subscriptions) {}
        #expect(log.entries == (0..<3).flatMap { event in (0..<40).map { [event, $0] } })
    }

    @Test func `C1 Everybody sees values in the order set, called in the order they subscribed`() {
        let stream = StateStream(0)
        let log = Log<[Int]>()
        let subscriptions = (0..<40).map { observer in
            stream.observe { log.append([$0, observer]) }
        }
        for value in 1..<3 { stream.set(value) }
        withExtendedLifetime(subscriptions) {}
        #expect(log.entries == (0..<3).flatMap { value in (0..<40).map { [value, $0] } })
    }

    @Test func `The order holds when observers in between have gone, in any order`() {
        let stream = EventStream<Int>()
        let log = Log<Int>()
        let subscriptions = (0..<1000).map { observer in
            stream.observe { _ in log.append(observer) }
        }
        for index in 0..<1000 where index % 7 != 0 { subscriptions[index].cancel() }
        for index in (0..<500).reversed() { subscriptions[index].cancel() }
        stream.send(0)
        withExtendedLifetime(subscriptions) {}
        #expect(log.entries == (500..<1000).filter { $0 % 7 == 0 })
    }

    @Test func `Two observers both see an event, however early it comes`() {
        let stream = EventStream<Int>()
        let log = Log<Int>()
        let subscriptions = (0..<2).map { _ in stream.observe { log.append($0) } }
        stream.send(1)
        withExtendedLifetime(subscriptions) {}
        #expect(log.entries == [1, 1])
    }

    @Test func `C2 Calls never overlap, whatever thread sends`() {
        let stream = EventStream<Int>()
        let running = Tally()
        let calls = Tally()
        let overlaps = Tally()
        let subscription = stream.observe { _ in
            let others = running.add()
            if others != 0 { overlaps.add() }
            calls.add()
            running.add(-1)
        }
        onThreads(4) { _ in
            for event in 0..<20_000 { stream.send(event) }
        }
        withExtendedLifetime(subscription) {}
        #expect(overlaps.count == 0)
        #expect(calls.count == 80_000)
    }

    @Test func `C2 Each sender's own events keep their order`() {
        let stream = EventStream<[Int]>()
        let log = Log<[Int]>()
        let subscription = stream.observe { log.append($0) }
        onThreads(4) { sender in
            for event in 0..<2_000 { stream.send([sender, event]) }
        }
        withExtendedLifetime(subscription) {}
        for sender in 0..<4 {
            let mine = log.entries.filter { $0[0] == sender }.map { $0[1] }
            #expect(mine == Array(0..<2_000))
        }
    }

    @Test func `C3 What is sent inside an observer waits its turn, to a depth of 1,000,000`() {
        let stream = EventStream<Int>()
        let count = Tally()
        let disorder = Tally()
        let subscription = stream.observe { event in
            let expected = count.add()
            if event != expected { disorder.add() }
            if event + 1 < 1_000_000 { stream.send(event + 1) }
        }
        stream.send(0)
        withExtendedLifetime(subscription) {}
        #expect(count.count == 1_000_000)
        #expect(disorder.count == 0)
    }

    @Test func `C3 A million events sent inside one call are kept and delivered`() {
        let stream = EventStream<Int>()
        let sum = Tally()
        let subscription = stream.observe { event in
            sum.add(event)
            guard event == 0 else { return }
            for next in 1...1_000_000 { stream.send(next) }
        }
        stream.send(0)
        withExtendedLifetime(subscription) {}
        #expect(sum.count == 500_000_500_000)
    }

    @Test func `C3 An observer that sets a value does not reorder it for the ones after it`() {
        let stream = StateStream(0)
        let log = Log<[Int]>()
        let first = stream.observe { value in
            log.append([1, value])
            if value == 1 { stream.set(2) }
        }
        let second = stream.observe { log.append([2, $0]) }
        stream.set(1)
        withExtendedLifetime((first, second)) {}
        #expect(log.entries == [[1, 0], [2, 0], [1, 1], [2, 1], [1, 2], [2, 2]])
        #expect(stream.value == 2)
    }

    @Test func `An observer that comes during a delivery sees what is sent afterwards, once`() {
        let stream = EventStream<Int>()
        let log = Log<Int>()
        let late = Slot<Subscription>()
        let subscription = stream.observe { event in
            guard event == 1 else { return }
            stream.send(2)
            late.put(stream.observe { log.append($0) })
            stream.send(3)
        }
        stream.send(1)
        withExtendedLifetime((subscription, late)) {}
        #expect(log.entries == [3])
    }

    @Test func `C5 The first value comes before any later one, with no gap and no repeat`() {
        let stream = StateStream(0)
        let faults = Tally()
        let setting = Gate()
        onThreads(2) { index in
            if index == 0 {
                for value in 1...20_000 { stream.set(value) }
                setting.unlock()
                return
            }
            repeat {
                let last = Atomic(-1)
                let subscription = stream.observe { value in
                    let before = last.exchange(value, ordering: .relaxed)
                    if before != -1, before + 1 != value { faults.add() }
                }
                for _ in 0..<20 { _ = stream.value }
                subscription.cancel()
            } while !setting.isOpen
        }
        #expect(faults.count == 0)
    }

    @Test func `C5 An observer that comes inside another's call gets its first value in turn`() {
        let stream = StateStream(0)
        let log = Log<String>()
        let late = Slot<Subscription>()
        let subscription = stream.observe { value in
            log.append("early \(value)")
            guard value == 1 else { return }
            late.put(stream.observe { log.append("late \($0)") })
            log.append("returned")
            stream.set(2)
        }
        stream.set(1)
        withExtendedLifetime((subscription, late)) {}
        let expected = ["early 0", "early 1", "returned", "late 1", "early 2", "late 2"]
        #expect(log.entries == expected)
    }

    @Test func `C6 The last value delivered is the value, when two threads set at once`() {
        let stream = StateStream(0)
        let last = Atomic(0)
        let faults = Tally()
        let subscription = stream.observe { last.store($0, ordering: .releasing) }
        let rounds = Barrier(2)
        onThreads(2) { index in
            for round in 0..<50_000 {
                rounds.wait()
                stream.set(round * 2 + index)
                rounds.wait()
                guard index == 0 else { continue }
                let isSame = last.load(ordering: .acquiring) == stream.value
                if !isSame { faults.add() }
            }
        }
        withExtendedLifetime(subscription) {}
        #expect(faults.count == 0)
    }
}
