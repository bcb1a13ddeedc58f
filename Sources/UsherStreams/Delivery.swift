// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// The one place that decides order. Everything a stream has to say is a *turn*: an element for
// those who were there when it was sent, the first value for one newcomer, the end. A turn is
// decided under the lock, in the same step as the value it belongs to, and performed without it.
// The thread that finds nobody performing does so, and goes on until no turn is left; every other
// thread, and every observer that sends from inside its own call, leaves its turn in the queue.
// So calls never overlap, never nest, and come in the order that the lock decided.
//
// Everything is `@inlinable`: generic code that another module cannot specialise is five times
// slower.

/// Who observes a stream, what waits to be delivered, and what is kept under the same lock.
@usableFromInline
final class Delivery<Element: Sendable, Kept: Sendable>: Sendable {
    @usableFromInline let state: Guarded<State>

    @usableFromInline
    struct State: Sendable {
        /// The value of a StateStream; nothing for an EventStream.
        @usableFromInline var kept: Kept
        /// Rises with each change of `kept`, so that a loop knows whether it has seen it.
        @usableFromInline var version: UInt64 = 1
        @usableFromInline var sinks = SinkList<Element>()
        @usableFromInline var waiting = Queue<Turn>()
        @usableFromInline var isPerforming = false
        @usableFromInline var isFinished = false
        @usableFromInline var interest = Interest()

        @inlinable
        init(kept: Kept) {
            self.kept = kept
        }
    }

    @usableFromInline
    enum Turn: Sendable {
        /// For the sinks with a number below `below`: later ones subscribed after it was sent.
        case element(Element, below: UInt64)
        /// For one who came late, the end follows at once.
        case first(Element, Observer<Element>, isLast: Bool)
        case end
    }

    /// A turn, and the sinks as they were when its time came.
    @usableFromInline
    struct Performance: Sendable {
        @usableFromInline let turn: Turn
        @usableFromInline let entries: [SinkList<Element>.Entry]

        @inlinable
        init(turn: Turn, entries: [SinkList<Element>.Entry]) {
            self.turn = turn
            self.entries = entries
        }
    }

    @inlinable
    init(keeping kept: Kept) {
        state = Guarded(State(kept: kept))
    }

    /// Changes what is kept, and delivers the element that comes of it; nothing happens after the
    /// end.
    ///
    /// - Parameters:
    ///   - change: Runs under the lock.
    ///   - element: What the observers get; asked for under the lock, when there is somebody.
    ///   - announce: Runs without the lock, before anybody is called; is told whether readers are
    ///     to be told again.
    @inlinable
    func send(
        changing change: (inout Kept) -> Void, element: (Kept) -> Element,
        announce: (_ again: Bool) -> Void
    ) {
        let (accepted, again, performance) = state.withLock { state -> (Bool, Bool, Performance?) in
            guard !state.isFinished else { return (false, false, nil) }
            change(&state.kept)
            state.version &+= 1
            let again = state.interest.beginsToTellAgain()
            guard state.sinks.count > 0 else { return (true, again, nil) }
            let element = element(state.kept)
            return (true, again, state.begin(.element(element, below: state.sinks.nextNumber)))
        }
        guard accepted else { return }
        announce(again)
        perform(performance)
    }

    /// Ends the stream once the elements sent so far are delivered; later ones are dropped.
    @inlinable
    func finish() {
        let performance = state.withLock { state -> Performance? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            return state.begin(.end)
        }
        perform(performance)
    }

    /// Adds a sink, from the next element on; nil when the stream has ended.
    @inlinable
    func add(_ sink: Sink<Element>) -> UInt64? {
        let number = state.withLock { $0.isFinished ? nil : $0.sinks.append(sink) }
        if number != nil { reportInterest() }
        return number
    }

    /// Adds an observer and gives it the kept value before any later one; nil when the stream has
    /// ended.
    ///
    /// The first call is made on this thread, unless a delivery is running: then in its turn, by
    /// that thread.
    @inlinable
    func addWithFirst(_ observer: Observer<Element>) -> UInt64? where Kept == Element {
        let (number, performance) = state.withLock { state -> (UInt64?, Performance?) in
            let number = state.isFinished ? nil : state.sinks.append(.observer(observer))
            return (number, state.begin(.first(state.kept, observer, isLast: number == nil)))
        }
        if number != nil { reportInterest() }
        perform(performance)
        return number
    }

    /// No call of this sink starts on this thread once this has returned.
    @inlinable
    func remove(_ number: UInt64) {
        let removed = state.withLock { $0.sinks.remove(number) }
        if case .observer(let observer)? = removed {
            observer.cancel()
        }
        if removed != nil { reportInterest() }
    }
}

extension Delivery {
    /// Performs this turn and all that are waiting; without the lock, and on one thread at a time.
    @inlinable
    func perform(_ performance: Performance?) {
        var current = performance
        while let performance = current {
            switch performance.turn {
            case .element(let element, let limit):
                deliver(element, to: performance.entries, below: limit)
            case .first(let element, let observer, let isLast):
                observer.receive(element)
                if isLast { observer.end() }
            case .end:
                for entry in performance.entries { entry.sink?.end() }
                reportInterest()
            }
            current = state.withLock { $0.next() }
        }
    }

    @inlinable
    func deliver(_ element: Element, to entries: [SinkList<Element>.Entry], below limit: UInt64) {
        for entry in entries {
            guard entry.number < limit else { break }
            entry.sink?.receive(element)
        }
    }
}

extension Delivery.State {
    /// Takes the turn at once when nobody is performing, or leaves it in the queue.
    @inlinable
    mutating func begin(_ turn: Delivery.Turn) -> Delivery.Performance? {
        guard !isPerforming else {
            waiting.append(turn)
            return nil
        }
        isPerforming = true
        return prepare(turn)
    }

    @inlinable
    mutating func next() -> Delivery.Performance? {
        guard let turn = waiting.popFirst() else {
            isPerforming = false
            return nil
        }
        return prepare(turn)
    }

    @inlinable
    mutating func prepare(_ turn: Delivery.Turn) -> Delivery.Performance {
        defer { if case .end = turn { sinks.removeAll() } }
        return Delivery.Performance(turn: turn, entries: sinks.entries)
    }
}
