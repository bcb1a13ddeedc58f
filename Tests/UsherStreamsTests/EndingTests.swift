// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

struct EndingTests {
    @Test func `C7 After cancel() no call starts on the delivering thread`() {
        let stream = EventStream<Int>()
        let log = Log<String>()
        let victim = Slot<Subscription>()
        let killer = stream.observe { event in
            log.append("killer \(event)")
            victim.value?.cancel()
        }
        victim.put(stream.observe { log.append("victim \($0)") })
        stream.send(1)
        stream.send(2)
        withExtendedLifetime((killer, victim)) {}
        #expect(log.entries == ["killer 1", "killer 2"])
    }

    @Test func `C7 An observer that cancels itself is not called again, not even for what waits`() {
        let stream = StateStream(0)
        let log = Log<Int>()
        let own = Slot<Subscription>()
        own.put(
            stream.observe { value in
                log.append(value)
                guard value == 1 else { return }
                stream.set(2)
                own.value?.cancel()
            })
        stream.set(1)
        #expect(log.entries == [0, 1])
    }

    @Test func `C7 A first value that waits for its turn is not delivered after cancel()`() {
        let stream = StateStream(0)
        let log = Log<Int>()
        let outer = stream.observe { value in
            if value == 1 { stream.observe { log.append($0) }.cancel() }
        }
        stream.set(1)
        withExtendedLifetime(outer) {}
        #expect(log.entries.isEmpty)
    }

    @Test func `C7 A call that runs elsewhere may finish, and cancel() does not wait for it`() {
        let stream = EventStream<Int>()
        let isInside = Gate()
        let isCancelled = Gate()
        let log = Log<Int>()
        let subscription = stream.observe { event in
            isInside.unlock()
            isCancelled.wait()
            log.append(event)
        }
        onThreads(2) { index in
            if index == 0 {
                stream.send(1)
                stream.send(2)
            } else {
                isInside.wait()
                subscription.cancel()
                isCancelled.unlock()
            }
        }
        #expect(log.entries == [1])
    }

    @Test func `C8 A released subscription ends, and frees its closure`() {
        let stream = EventStream<Int>()
        let living = Tally()
        let log = Log<Int>()
        func observe() -> Subscription {
            let token = Token(in: living)
            return stream.observe { log.append($0 + token.number) }
        }
        do {
            let subscription = observe()
            stream.send(1)
            withExtendedLifetime(subscription) {}
        }
        stream.send(2)
        #expect(log.entries == [1])
        #expect(living.count == 0)
    }

    @Test func `C8 An array of subscriptions ends all of them`() {
        let stream = StateStream(0)
        let log = Log<Int>()
        var subscriptions: [Subscription] = []
        stream.observe { log.append($0) }.store(in: &subscriptions)
        stream.observe { log.append($0) }.store(in: &subscriptions)
        subscriptions = []
        stream.set(1)
        #expect(log.entries == [0, 0])
    }

    @Test func `C8 A subscription keeps its stream alive, and lets it go when it is cancelled`() {
        let living = Tally()
        func observe() -> Subscription { StateStream(Token(in: living)).observe { _ in } }
        let subscription = observe()
        #expect(living.count == 1)
        subscription.cancel()
        #expect(living.count == 0)
    }

    @Test func `C8 A finished stream frees its closures, though the subscriptions are kept`() {
        let events = EventStream<Int>()
        let state = StateStream(0)
        let living = Tally()
        func observe() -> [Subscription] {
            let token = Token(in: living)
            return [events.observe { _ in _ = token }, state.observe { _ in _ = token }]
        }
        let subscriptions = observe()
        #expect(living.count == 1)
        events.finish()
        state.finish()
        #expect(living.count == 0)
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `Nothing is delivered or changed after the end`() {
        let events = EventStream<Int>()
        let state = StateStream(0)
        let log = Log<Int>()
        let subscriptions = [
            events.observe { log.append($0) }, state.observe { log.append($0) },
        ]
        events.finish()
        state.finish()
        events.finish()
        events.send(1)
        state.set(2)
        state.update { $0 = 3 }
        withExtendedLifetime(subscriptions) {}
        #expect(log.entries == [0])
        #expect(state.value == 0)
    }

    @Test func `An end inside an observer comes after what was sent before it`() {
        let stream = EventStream<Int>()
        let log = Log<Int>()
        let subscription = stream.observe { event in
            log.append(event)
            guard event == 1 else { return }
            stream.send(2)
            stream.finish()
            stream.send(3)
        }
        stream.send(1)
        withExtendedLifetime(subscription) {}
        #expect(log.entries == [1, 2])
    }

    @Test func `Who asks for it is told of the end once, after what was sent before`() {
        let events = EventStream<Int>()
        let state = StateStream(0)
        let log = Log<String>()
        let subscriptions = [
            events.observe { event in
                if event == 1 {
                    events.send(2)
                    events.finish()
                }
            },
            events.observe({ log.append("event \($0)") }, whenEnded: { log.append("events end") }),
            state.observe({ log.append("value \($0)") }, whenEnded: { log.append("state ends") }),
        ]
        events.send(1)
        state.set(1)
        state.finish()
        state.finish()
        withExtendedLifetime(subscriptions) {}
        #expect(
            log.entries == [
                "value 0", "event 1", "event 2", "events end", "value 1", "state ends",
            ])
    }

    @Test func `The end is told to who comes late, after the value, and to nobody who cancelled`() {
        let events = EventStream<Int>()
        let state = StateStream(0)
        let log = Log<String>()
        let cancelled = [
            events.observe({ _ in }, whenEnded: { log.append("cancelled") }),
            state.observe({ _ in }, whenEnded: { log.append("cancelled") }),
        ]
        for subscription in cancelled { subscription.cancel() }
        let inside = state.observe { value in
            guard value == 1 else { return }
            state.finish()
            // Its first value and the end wait for their turns.
            let late = state.observe(
                { log.append("late \($0)") }, whenEnded: { log.append("late end") })
            late.cancel()
        }
        state.set(1)
        events.finish()
        let late = [
            events.observe({ _ in log.append("event") }, whenEnded: { log.append("events end") }),
            state.observe({ log.append("value \($0)") }, whenEnded: { log.append("state ends") }),
        ]
        withExtendedLifetime((inside, late)) {}
        #expect(log.entries == ["events end", "value 1", "state ends"])
    }

    @Test func `C14 The end reaches a late subscriber at once`() async {
        let events = EventStream<Int>()
        events.finish()
        var event = events.makeAsyncIterator()
        #expect(await event.next() == nil)

        let state = StateStream(5)
        state.finish()
        var value = state.makeAsyncIterator()
        #expect(await value.next() == 5)
        #expect(await value.next() == nil)

        let living = Tally()
        let log = Log<Int>()
        func observe() -> [Subscription] {
            let token = Token(in: living)
            return [
                events.observe { log.append($0 + token.number) },
                state.observe { log.append($0 + token.number) },
            ]
        }
        let subscriptions = observe()
        #expect(log.entries == [5])
        #expect(living.count == 0)
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `C14 The end reaches a re-entrant subscriber at once`() async {
        let events = EventStream<Int>()
        let state = StateStream(0)
        let log = Log<String>()
        let loop = Slot<Task<Int?, Never>>()
        let outer = events.observe { _ in
            events.finish()
            state.finish()
            let late = [
                events.observe { log.append("event \($0)") },
                state.observe { log.append("value \($0)") },
            ]
            withExtendedLifetime(late) {}
            let iterator = events.makeAsyncIterator()
            loop.put(
                Task {
                    var iterator = iterator
                    return await iterator.next()
                })
        }
        events.send(1)
        withExtendedLifetime(outer) {}
        #expect(await loop.value?.value == .some(nil))
        #expect(log.entries == ["value 0"])
    }
}
