// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Synchronization
import UsherStreams
import UsherWire

/// What streams cost, used from another module as users do, beside the floor in the same run.
struct StreamsBenchmark {
    func run() async -> Table {
        var table = Table()
        fanOut(into: &table)
        reading(into: &table)
        observing(into: &table)
        memory(into: &table)
        await loops(into: &table)
        pages(into: &table)
        return table
    }

    private func fanOut(into table: inout Table) {
        let sizes: [(observers: Int, sends: Int)] = [
            (1, 20_000), (10, 5_000), (1_000, 100),
        ]
        let floors = sizes.map { floorFanOut(to: $0.observers, sends: $0.sends) }
        for (size, floor) in zip(sizes, floors) {
            table.add(
                "an event to \(size.observers)", floor: floor,
                eventFanOut(to: size.observers, sends: size.sends), .times(4))
        }
        for ((size, floor), bound) in zip(zip(sizes, floors), [160.0, 280, 13_000]) {
            table.add(
                "a value to \(size.observers)", floor: floor,
                stateFanOut(to: size.observers, sends: size.sends), .atMost(bound))
        }
    }

    private func floorFanOut(to observers: Int, sends: Int) -> Double {
        let list = ClosureList<Int>()
        let last = Last()
        for _ in 0..<observers { _ = list.add { last.see($0) } }
        return nanoseconds(each: sends) {
            for event in 0..<sends { list.send(event) }
        }
    }

    private func eventFanOut(to observers: Int, sends: Int) -> Double {
        let stream = EventStream<Int>()
        let last = Last()
        let subscriptions = (0..<observers).map { _ in stream.observe { last.see($0) } }
        return withExtendedLifetime(subscriptions) {
            nanoseconds(each: sends) {
                for event in 0..<sends { stream.send(event) }
            }
        }
    }

    private func stateFanOut(to observers: Int, sends: Int) -> Double {
        let stream = StateStream(0)
        let last = Last()
        let subscriptions = (0..<observers).map { _ in stream.observe { last.see($0) } }
        return withExtendedLifetime(subscriptions) {
            nanoseconds(each: sends) {
                for value in 0..<sends { stream.set(value) }
            }
        }
    }

    private func reading(into table: inout Table) {
        let reads = 100_000
        let stream = StateStream(0)
        let floor = Mutex(0)
        let last = Last()
        table.add(
            "reading value",
            floor: nanoseconds(each: reads) {
                for _ in 0..<reads { last.see(floor.withLock { $0 }) }
            },
            nanoseconds(each: reads) {
                for _ in 0..<reads { last.see(stream.value) }
            }, .atMost(20))
    }
}

// MARK: Observations

extension StreamsBenchmark {
    private func observing(into table: inout Table) {
        for others in [0, 1_000] {
            let list = ClosureList<Int>()
            let events = EventStream<Int>()
            let state = StateStream(0)
            let last = Last()
            for _ in 0..<others { _ = list.add { last.see($0) } }
            var subscriptions = (0..<others).map { _ in events.observe { last.see($0) } }
            subscriptions += (0..<others).map { _ in state.observe { last.see($0) } }
            let count = others == 0 ? 4_000 : 2_000
            let floor = nanoseconds(each: count) {
                for _ in 0..<count { list.remove(list.add { last.see($0) }) }
            }
            let event = nanoseconds(each: count) {
                for _ in 0..<count { events.observe { last.see($0) }.cancel() }
            }
            let value = nanoseconds(each: count) {
                for _ in 0..<count { state.observe { last.see($0) }.cancel() }
            }
            withExtendedLifetime(subscriptions) {}
            table.add(
                "observing and cancelling, \(others) others", floor: floor, event, .atMost(280))
            table.add("the same for a value", floor: floor, value, .atMost(280))
        }
        cancelling(10_000, into: &table)
    }

    /// In the order they came, which is the worst for a list that closes each gap.
    private func cancelling(_ count: Int, into table: inout Table) {
        let last = Last()
        let floor = median { _ in
            let list = ClosureList<Int>()
            let numbers = (0..<count).map { _ in list.add { last.see($0) } }
            let beginning = ContinuousClock.now
            for number in numbers { list.remove(number) }
            return nanoseconds(since: beginning) / Double(count)
        }
        let figure = median { _ in
            let stream = EventStream<Int>()
            let subscriptions = (0..<count).map { _ in stream.observe { last.see($0) } }
            let beginning = ContinuousClock.now
            for subscription in subscriptions { subscription.cancel() }
            return nanoseconds(since: beginning) / Double(count)
        }
        table.add("cancelling \(count) in order, each", floor: floor, figure, .atMost(500))
    }

    private func memory(into table: inout Table) {
        let count = 10_000
        let list = ClosureList<Int>()
        let events = EventStream<Int>()
        let state = StateStream(0)
        let last = Last()
        let floor = bytes(each: count) { list.add { last.see($0) } }
        table.add(
            "an observation", "bytes", floor: floor,
            bytes(each: count) { events.observe { last.see($0) } }, .atMost(300))
        table.add(
            "an open loop over events", "bytes", floor: floor,
            bytes(each: count) { events.makeAsyncIterator() }, .atMost(200))
        table.add(
            "an open loop over a value", "bytes", floor: floor,
            bytes(each: count) { state.makeAsyncIterator() }, .atMost(200))
    }

    /// A list that grows by its pages: only the page is sent, and appended in place.
    private func pages(into table: inout Table) {
        let count = 1_000
        let page = MoviePage(
            offset: 0, movies: (0..<20).map(Self.movie), status: .empty, startsOver: false)
        let floor = nanoseconds(each: 1) {
            let list = ClosureList<MoviePage>()
            let kept = Kept()
            _ = list.add { kept.append($0.movies) }
            for _ in 0..<count { list.send(page) }
        }
        let figure = nanoseconds(each: 1) {
            let stream = EventStream<MoviePage>()
            let kept = Kept()
            let subscription = stream.observe { kept.append($0.movies) }
            for _ in 0..<count { stream.send(page) }
            withExtendedLifetime(subscription) {}
        }
        table.add("\(count) pages of 20 movies", "ms", floor: floor / 1e6, figure / 1e6, .atMost(5))
    }

    private static func movie(_ number: Int) -> Movie {
        var movie = Movie(id: Int64(number), title: "A title that is no short string \(number)")
        movie.overview = "A summary, which is no short string either"
        movie.releaseDate = "1999-12-31"
        movie.posterPath = "/the/path/of/a/poster/\(number).jpg"
        movie.voteAverage = 7.5
        return movie
    }
}

// MARK: Loops

extension StreamsBenchmark {
    private func loops(into table: inout Table) async {
        await loops("off the main actor", bound: 150, into: &table)
        await mainLoops(into: &table)
    }

    @MainActor
    private func mainLoops(into table: inout Table) async {
        await loops("on the main actor", bound: 200, into: &table)
    }

    private func loops(
        _ place: String, bound: Double, into table: inout Table,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let count = 5_000
        let last = Last()
        let floor = nanoseconds(each: count) {
            let list = ClosureList<Int>()
            let array = LockedArray<Int>()
            _ = list.add { array.append($0) }
            for event in 0..<count { list.send(event) }
            while let event = array.next() { last.see(event) }
        }
        let event = await nanoseconds(each: count) {
            let stream = EventStream<Int>()
            var iterator = stream.buffering(.unbounded).makeAsyncIterator()
            for event in 0..<count { stream.send(event) }
            stream.finish()
            while let event = await iterator.next(isolation: isolation) { last.see(event) }
        }
        let value = await nanoseconds(each: count) {
            let stream = StateStream(0)
            var iterator = stream.makeAsyncIterator()
            for value in 0..<count {
                stream.set(value)
                if let value = await iterator.next(isolation: isolation) { last.see(value) }
            }
        }
        table.add("an event to a loop \(place)", floor: floor, event, .atMost(bound))
        table.add("a value to a loop \(place)", floor: floor, value, .atMost(bound))
    }
}

/// What an observer does: as little as the compiler does not take out.
private final class Last: Sendable {
    private let element = Atomic(0)

    func see(_ element: Int) {
        self.element.store(element, ordering: .relaxed)
    }
}

private final class Kept: Sendable {
    private let movies = Mutex<[Movie]>([])

    func append(_ more: [Movie]) {
        movies.withLock { $0 += more }
    }
}
