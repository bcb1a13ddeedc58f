// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

struct InterestTests {
    @Test func `The first observer and the last one's going are told, the ones between are not`() {
        let stream = StateStream(0)
        let log = Log<Bool>()
        stream.whenObserved { log.append($0) }
        #expect(log.entries == [])
        let first = stream.observe { _ in }
        let second = stream.observe { _ in }
        first.cancel()
        #expect(log.entries == [true])
        second.cancel()
        #expect(log.entries == [true, false])
        stream.observe { _ in }.cancel()
        #expect(log.entries == [true, false, true, false])
    }

    @Test func `A hook that comes late is told at once that somebody observes`() {
        let stream = EventStream<Int>()
        let log = Log<Bool>()
        let subscription = stream.observe { _ in }
        stream.whenObserved { log.append($0) }
        withExtendedLifetime(subscription) {}
        #expect(log.entries == [true])
    }

    @Test func `A hook may set the value: the new observer sees the old one and then the new`() {
        let stream = StateStream(0)
        let log = Log<Int>()
        stream.whenObserved { [weak stream] isObserved in
            if isObserved { stream?.set(1) }
        }
        let subscription = stream.observe { log.append($0) }
        withExtendedLifetime(subscription) {}
        #expect(log.entries == [0, 1])
    }

    @Test func `A change during a report is told after it, not inside it`() {
        let stream = EventStream<Int>()
        let log = Log<String>()
        let own = Slot<Subscription>()
        stream.whenObserved { [weak stream] isObserved in
            log.append("\(isObserved) begins")
            if isObserved { own.value?.cancel() } else { own.put(nil) }
            if isObserved { stream?.observe { _ in }.cancel() }
            log.append("\(isObserved) ends")
        }
        let first = stream.observe { _ in }
        own.put(first)
        first.cancel()
        #expect(log.entries == ["true begins", "true ends", "false begins", "false ends"])
    }

    @Test func `The end is told as the last observer's going, and frees the hook`() {
        let living = Tally()
        let log = Log<Bool>()
        func hook(_ stream: EventStream<Int>) {
            let token = Token(in: living)
            stream.whenObserved { isObserved in
                _ = token
                log.append(isObserved)
            }
        }
        let observed = EventStream<Int>()
        let idle = EventStream<Int>()
        hook(observed)
        hook(idle)
        let subscription = observed.observe { _ in }
        observed.finish()
        idle.finish()
        hook(idle)
        withExtendedLifetime(subscription) {}
        #expect(log.entries == [true, false])
        #expect(living.count == 0)
    }

    @Test func `A value that was read counts as observed until the end`() {
        let stream = StateStream(0)
        let log = Log<Bool>()
        stream.whenObserved { log.append($0) }
        #expect(stream.current == 0)
        #expect(log.entries == [])
        #expect(stream.value == 0)
        #expect(log.entries == [true])
        stream.observe { _ in }.cancel()
        #expect(stream.value == 0)
        #expect(log.entries == [true])
        stream.finish()
        #expect(stream.value == 0)
        #expect(log.entries == [true, false])
    }

    @Test func `A hook that comes after the first read is told at once`() {
        let stream = StateStream(0)
        let log = Log<Bool>()
        #expect(stream.value == 0)
        stream.whenObserved { log.append($0) }
        #expect(log.entries == [true])
    }

    @Test func `Thirty-two first observers at once are told once`() {
        for _ in 0..<50 {
            let stream = StateStream(0)
            let log = Log<Bool>()
            let subscriptions = Log<Subscription>()
            stream.whenObserved { log.append($0) }
            onThreads(32) { _ in subscriptions.append(stream.observe { _ in }) }
            #expect(log.entries == [true])
        }
    }

    @Test func `Reports alternate and never overlap, whatever comes and goes`() {
        let stream = EventStream<Int>()
        let log = Log<Bool>()
        let running = Tally()
        let overlaps = Tally()
        stream.whenObserved { isObserved in
            if running.add() != 0 {
                overlaps.add()
            }
            log.append(isObserved)
            running.add(-1)
        }
        onThreads(4) { _ in
            for _ in 0..<2_000 { stream.observe { _ in }.cancel() }
        }
        let entries = log.entries
        #expect(overlaps.count == 0)
        #expect(entries.last == false)
        #expect(entries == entries.indices.map { $0 % 2 == 0 })
    }
}
