// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Observation
import Testing
import UsherStreams

@MainActor
struct MainActorTests {
    @Test func `onMain calls the body with the current value and each newest one`() async {
        let stream = StateStream(0)
        let screen = Screen()
        let subscription = stream.onMain { screen.show($0) }
        await screen.waits(for: 0)
        onThreads(1) { _ in stream.set(1) }
        await screen.waits(for: 1)
        withExtendedLifetime(subscription) {}
        #expect(screen.shown == [0, 1])
    }

    @Test func `What was sent off the main actor first is delivered first`() async {
        let stream = EventStream<Int>()
        let screen = Screen()
        let subscription = stream.onMain { screen.show($0) }
        onThreads(1) { _ in stream.send(1) }
        stream.send(2)
        await screen.waits(for: 2)
        withExtendedLifetime(subscription) {}
        #expect(screen.shown == [1, 2])
    }

    @Test func `An observer that is made on the main actor may be called elsewhere`() {
        let stream = EventStream<Int>()
        let log = Log<Int>()
        let subscription = stream.observe { log.append($0) }
        onThreads(1) { _ in stream.send(1) }
        withExtendedLifetime(subscription) {}
        #expect(log.entries == [1])
    }

    @Test func `C7 After cancel() on the main actor nothing more is called there`() async {
        let stream = EventStream<Int>()
        let screen = Screen()
        let subscription = stream.onMain { screen.show($0) }
        stream.send(1)
        await screen.waits(for: 1)
        stream.send(2)
        subscription.cancel()
        let witness = EventStream<Int>()
        let other = witness.onMain { screen.show($0) }
        witness.send(3)
        await screen.waits(for: 3)
        withExtendedLifetime(other) {}
        #expect(screen.shown == [1, 3])
    }

    @Test func `onMain with a weak target neither keeps it nor calls for it when it is gone`() async
    {
        let stream = EventStream<Int>()
        let seen = Screen()
        let observed = Log<Bool>()
        stream.whenObserved { observed.append($0) }
        var target: Screen? = Screen()
        weak let witness = target
        let subscription = target.map { target in
            stream.onMain(weak: target) { target, event in
                target.show(event)
                seen.show(event)
            }
        }
        stream.send(1)
        await seen.waits(for: 1)
        target = nil
        #expect(witness == nil)
        stream.send(2)
        while observed.entries != [true, false] { await Task.yield() }
        withExtendedLifetime(subscription) {}
        #expect(seen.shown == [1])
    }

    @Test func `The end of a stream ends onMain and frees its closure`() async {
        let stream = EventStream<Int>()
        let living = Tally()
        func observe() -> Subscription {
            let token = Token(in: living)
            return stream.onMain { _ in _ = token }
        }
        let subscription = observe()
        #expect(living.count == 1)
        stream.finish()
        while living.count > 0 { await Task.yield() }
        withExtendedLifetime(subscription) {}
    }

    @Test func `A released onMain subscription unregisters its loop`() async {
        let stream = StateStream(0)
        let observed = Log<Bool>()
        stream.whenObserved { observed.append($0) }
        do {
            let subscription = stream.onMain { _ in }
            withExtendedLifetime(subscription) {}
        }
        while observed.entries != [true, false] { await Task.yield() }
    }

    @Test func `A loop takes what is buffered without leaving its actor`() async {
        let stream = EventStream<Int>()
        let screen = Screen()
        var iterator = stream.makeAsyncIterator()
        for event in 0..<1000 { stream.send(event) }
        let other = Task { screen.show(-1) }
        for event in 0..<1000 {
            #expect(await iterator.next(isolation: #isolation) == event)
        }
        #expect(screen.shown == [])
        await other.value
    }

    @Test func `A change while a view reads, on another thread, is told to the view`() async {
        let stream = StateStream(0)
        let told = Tally()
        withObservationTracking {
            _ = stream.value
            onThreads(1) { _ in stream.set(1) }
        } onChange: {
            told.add()
        }
        while told.count == 0 { await Task.yield() }
        #expect(stream.value == 1)
    }

    @Test func `Observations on the main actor sees the last value that another thread sets`()
        async
    {
        for _ in 0..<100 {
            let stream = StateStream(0)
            let task = Task {
                for await value in Observations({ stream.value }) where value == 100 { return }
            }
            await Task.yield()
            onThreads(1) { _ in
                for value in 1...100 { stream.set(value) }
            }
            await task.value
        }
    }

    @Test func `Observations sees the last value that is set on its own actor`() async {
        let stream = StateStream(0)
        let screen = Screen()
        let task = Task {
            for await value in Observations({ stream.value }) {
                screen.show(value)
                if value == 100 { break }
            }
        }
        await screen.waits(for: 0)
        for value in 1...100 { stream.set(value) }
        await task.value
        #expect(screen.shown.last == 100)
        #expect(screen.shown == screen.shown.sorted())
    }
}

/// What a view would have shown.
@MainActor
private final class Screen {
    private(set) var shown: [Int] = []

    func show(_ number: Int) {
        shown.append(number)
    }

    func waits(for number: Int) async {
        while !shown.contains(number) { await Task.yield() }
    }
}
