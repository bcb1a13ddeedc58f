// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

struct LoopTests {
    @Test func `C9 A loop is registered by makeAsyncIterator`() async {
        let stream = EventStream<Int>()
        var iterator = stream.makeAsyncIterator()
        stream.send(1)
        stream.send(2)
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == 2)
    }

    @Test func `An open loop keeps its stream, and lets it go with itself`() async {
        weak var stream: StateStream<Int>?
        do {
            let held = StateStream(1)
            stream = held
            let loop = held.makeAsyncIterator()
            do { _ = consume held }
            #expect(stream != nil)
            stream?.set(2)
            #expect(await rest(of: loop, count: 1) == [2])
        }
        #expect(stream == nil)
    }

    @Test func `C9 The end of a loop unregisters it`() async {
        let events = EventStream<Int>()
        let state = StateStream(0)
        let log = Log<String>()
        state.whenObserved { log.append("state \($0)") }
        events.whenObserved { [weak events] isObserved in
            log.append("events \(isObserved)")
            if isObserved { events?.send(1) }
        }
        for await _ in events { break }
        for await _ in state { break }
        #expect(log.entries == ["events true", "events false", "state true", "state false"])
    }

    @Test func `C9 The cancellation of a loop unregisters it, though its iterator is kept`() async {
        let events = EventStream<Token>()
        let living = Tally()
        let isWaiting = Gate()
        let isGone = Gate()
        events.whenObserved { isObserved in
            if isObserved { isWaiting.unlock() } else { isGone.unlock() }
        }
        let isDone = Gate()
        let task = Task {
            var iterator = events.makeAsyncIterator()
            while await iterator.next() != nil {}
            await isDone.waitAsync()
            withExtendedLifetime(iterator) {}
        }
        await isWaiting.waitAsync()
        task.cancel()
        await isGone.waitAsync()
        for number in 0..<100 { events.send(Token(number, in: living)) }
        #expect(living.count == 0)
        isDone.unlock()
        await task.value
    }

    @Test func `C9 A thousand cancelled loops leave nothing behind`() async {
        let events = EventStream<Token>()
        let state = StateStream(0)
        let living = Tally()
        let observed = Log<Bool>()
        events.whenObserved { observed.append($0) }
        let started = Tally()
        await withTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask {
                    var iterator = events.makeAsyncIterator()
                    started.add()
                    while await iterator.next() != nil {}
                }
                group.addTask {
                    for await _ in state { started.add() }
                }
            }
            while started.count < 2000 { await Task.yield() }
            group.cancelAll()
        }
        for number in 0..<1000 { events.send(Token(number, in: living)) }
        #expect(living.count == 0)
        #expect(observed.entries.last == false)
    }

    @Test func `C10 An event and a cancellation at once resume a loop exactly once`() async {
        let stream = EventStream<Int>()
        await race {
            stream.send($0)
        } against: { isReady in
            var iterator = stream.makeAsyncIterator()
            isReady.unlock()
            _ = await iterator.next()
        }
    }

    @Test func `C10 A value and a cancellation at once resume a loop exactly once`() async {
        let stream = StateStream(0)
        await race {
            stream.set($0)
        } against: { isReady in
            var iterator = stream.makeAsyncIterator()
            _ = await iterator.next()
            isReady.unlock()
            _ = await iterator.next()
        }
    }

    @Test func `C10 The end and a cancellation at once resume a loop exactly once`() async {
        let stream = Slot<EventStream<Int>>()
        await race { _ in
            stream.value?.finish()
        } against: { isReady in
            let fresh = EventStream<Int>()
            stream.put(fresh)
            var iterator = fresh.makeAsyncIterator()
            isReady.unlock()
            _ = await iterator.next()
        }
    }

    /// A continuation that is resumed twice traps; one that is never resumed keeps its task for
    /// ever.
    private func race(
        _ send: @escaping @Sendable (Int) -> Void,
        against loop: @escaping @Sendable (Gate) async -> Void
    ) async {
        for round in 0..<10_000 {
            let isReady = Gate()
            let task = Task { await loop(isReady) }
            await isReady.waitAsync()
            async let sending: Void = send(round)
            task.cancel()
            await sending
            await task.value
        }
    }

    @Test func `C11 In a cancelled task next() is nil at once`() async {
        let events = EventStream<Int>()
        let state = StateStream(0)
        let isCancelled = Gate()
        let task = Task {
            var event = events.makeAsyncIterator()
            var value = state.makeAsyncIterator()
            events.send(1)
            await isCancelled.waitAsync()
            return [await event.next(), await value.next()]
        }
        task.cancel()
        isCancelled.unlock()
        #expect(await task.value == [nil, nil])
    }

    @Test func `C12 A slow loop over a StateStream costs no more than one value`() async {
        let living = Tally()
        let stream = StateStream(Token(0, in: living))
        var iterator = stream.makeAsyncIterator()
        for number in 1...10_000 { stream.set(Token(number, in: living)) }
        #expect(living.count == 1)
        #expect(await iterator.next()?.number == 10_000)
        stream.set(Token(10_001, in: living))
        #expect(living.count == 1)
        #expect(await iterator.next()?.number == 10_001)
    }

    @Test func `C12 A slow loop keeps the newest 1,024 events and counts the rest`() async {
        let living = Tally()
        let stream = EventStream<Token>()
        var iterator = stream.makeAsyncIterator()
        for number in 0..<5_000 { stream.send(Token(number, in: living)) }
        #expect(living.count == 1_024)
        #expect(iterator.dropped == 5_000 - 1_024)
        #expect(await iterator.next()?.number == 5_000 - 1_024)
        #expect(living.count == 1_023)
    }

    @Test func `C12 The bound is the one that was asked for`() async {
        let stream = EventStream<Int>()
        let newest = stream.buffering(.newest(3))
        let oldest = stream.buffering(.oldest(3))
        let unbounded = stream.buffering(.unbounded)
        let nothing = stream.buffering(.newest(0))
        let iterators = (
            newest.makeAsyncIterator(), oldest.makeAsyncIterator(),
            unbounded.makeAsyncIterator(), nothing.makeAsyncIterator()
        )
        for event in 0..<3_000 { stream.send(event) }
        stream.finish()
        #expect(await rest(of: iterators.0) == [2_997, 2_998, 2_999])
        #expect(await rest(of: iterators.1) == [0, 1, 2])
        #expect(await rest(of: iterators.2) == Array(0..<3_000))
        #expect(await rest(of: iterators.3) == [])
    }

    @Test func `C13 The end finishes a loop, after what was buffered`() async {
        let stream = EventStream<Int>()
        let iterator = stream.makeAsyncIterator()
        stream.send(1)
        stream.send(2)
        stream.finish()
        #expect(await rest(of: iterator) == [1, 2])
    }

    @Test func `C13 The end finishes a loop over a StateStream, after the newest value`() async {
        let stream = StateStream(0)
        let iterator = stream.makeAsyncIterator()
        stream.set(1)
        stream.set(2)
        stream.finish()
        #expect(await rest(of: iterator) == [2])
    }

    @Test func `C13 Loops that wait are finished`() async {
        let events = EventStream<Int>()
        let state = StateStream(0)
        let isObserved = Gate()
        let hasValue = Gate()
        events.whenObserved { if $0 { isObserved.unlock() } }
        let tasks = [
            Task { for await _ in events {} },
            Task { for await _ in state { hasValue.unlock() } },
        ]
        await isObserved.waitAsync()
        await hasValue.waitAsync()
        for _ in 0..<100 { await Task.yield() }
        events.finish()
        state.finish()
        for task in tasks { await task.value }
    }

    @Test func `Two loops both see all of the events, and both end`() async {
        let stream = EventStream<Int>()
        let loops = (stream.makeAsyncIterator(), stream.makeAsyncIterator())
        onThreads(1) { _ in
            for event in 0..<10 { stream.send(event) }
            stream.finish()
        }
        #expect(await rest(of: loops.0) == Array(0..<10))
        #expect(await rest(of: loops.1) == Array(0..<10))
    }

    @Test func `A loop beside a fast sender sees every event in order`() async {
        let stream = EventStream<Int>()
        let sequence = stream.buffering(.unbounded)
        let isObserved = Gate()
        stream.whenObserved { if $0 { isObserved.unlock() } }
        let task = Task {
            var seen: [Int] = []
            for await event in sequence { seen.append(event) }
            return seen
        }
        await isObserved.waitAsync()
        onThreads(1) { _ in
            for event in 0..<20_000 { stream.send(event) }
            stream.finish()
        }
        #expect(await task.value == Array(0..<20_000))
    }

    @Test func `A loop beside a fast setter sees rising values, and the last`() async {
        let stream = StateStream(0)
        let hasFirst = Gate()
        let task = Task {
            var seen: [Int] = []
            for await value in stream {
                seen.append(value)
                hasFirst.unlock()
            }
            return seen
        }
        await hasFirst.waitAsync()
        onThreads(1) { _ in
            for value in 1...20_000 { stream.set(value) }
            stream.finish()
        }
        let seen = await task.value
        #expect(seen.first == 0)
        #expect(seen.last == 20_000)
        #expect(seen == seen.sorted())
        #expect(Set(seen).count == seen.count)
    }

    private func rest<Iterator: AsyncIteratorProtocol>(
        of iterator: Iterator, count: Int = .max
    ) async -> [Iterator.Element] where Iterator.Failure == Never {
        var iterator = iterator
        var rest: [Iterator.Element] = []
        while rest.count < count, let element = await iterator.next(isolation: nil) {
            rest.append(element)
        }
        return rest
    }
}
