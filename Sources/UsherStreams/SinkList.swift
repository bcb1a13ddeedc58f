// Part of Usher. SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// One place where elements go.
///
/// An enumeration of final classes, not a protocol: calls through a witness or a virtual table of a
/// generic class are never specialised, and cost several times as much.
@usableFromInline
enum Sink<Element: Sendable>: Sendable {
    case observer(Observer<Element>)
    case mailbox(Mailbox<Element>)
    case wakeup(Wakeup)

    /// Called by the delivering thread, without any lock.
    @inlinable
    @inline(__always)
    func receive(_ element: Element) {
        switch self {
        case .observer(let observer): observer.receive(element)
        case .mailbox(let mailbox): mailbox.receive(element)
        case .wakeup(let wakeup): wakeup.signal()
        }
    }

    /// Tells it that nothing follows.
    @inlinable
    func end() {
        switch self {
        case .observer(let observer): observer.end()
        case .mailbox(let mailbox): mailbox.end()
        case .wakeup(let wakeup): wakeup.signal()
        }
    }
}

/// A closure that is called with each element until it is cancelled.
@usableFromInline
final class Observer<Element: Sendable>: Sendable {
    @usableFromInline let body: @Sendable (Element) -> Void
    @usableFromInline let whenEnded: (@Sendable () -> Void)?

    /// Set before `cancel()` returns, and looked at right before each call.
    ///
    /// A delivery works on a snapshot of the list, in which the observer is still present.
    /// Relaxed is enough, since the promise is for one thread or actor.
    @usableFromInline let isCancelled = Atomic(false)

    @inlinable
    init(_ body: @escaping @Sendable (Element) -> Void, whenEnded: (@Sendable () -> Void)?) {
        self.body = body
        self.whenEnded = whenEnded
    }

    @inlinable
    @inline(__always)
    func receive(_ element: Element) {
        if !isCancelled.load(ordering: .relaxed) { body(element) }
    }

    /// Called once, after the last element.
    @inlinable
    func end() {
        if !isCancelled.load(ordering: .relaxed) { whenEnded?() }
    }

    @inlinable
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
    }
}

/// The sinks of a stream in the order they came, found by number in logarithmic time.
///
/// A removed sink leaves a hole, and the holes go when they are the majority: to cancel ten
/// thousand observers in the order they came moves no memory each time.
@usableFromInline
struct SinkList<Element: Sendable>: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let number: UInt64
        @usableFromInline var sink: Sink<Element>?

        @inlinable
        init(number: UInt64, sink: Sink<Element>) {
            self.number = number
            self.sink = sink
        }
    }

    /// Fewer holes than this are never worth the move.
    @usableFromInline static var toleratedHoles: Int { 16 }

    /// Sorted by number, since numbers are given in rising order.
    @usableFromInline var entries: [Entry] = []
    @usableFromInline var holes = 0

    /// The number that the next sink gets: elements sent by now are for the sinks below it.
    @usableFromInline var nextNumber: UInt64 = 0

    @inlinable
    init() {}

    @inlinable var count: Int { entries.count &- holes }

    @inlinable
    mutating func append(_ sink: Sink<Element>) -> UInt64 {
        defer { nextNumber &+= 1 }
        entries.append(Entry(number: nextNumber, sink: sink))
        return nextNumber
    }

    /// Takes a sink out; the caller releases it, after unlocking.
    @inlinable
    mutating func remove(_ number: UInt64) -> Sink<Element>? {
        guard let index = index(of: number) else { return nil }
        var removed: Sink<Element>?
        swap(&removed, &entries[index].sink)
        guard removed != nil else { return nil }
        holes &+= 1
        closeHoles()
        return removed
    }

    @inlinable
    mutating func removeAll() {
        entries = []
        holes = 0
    }

    @inlinable
    func index(of number: UInt64) -> Int? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low &+ high) / 2
            if entries[middle].number < number { low = middle &+ 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].number == number else { return nil }
        return low
    }

    @inlinable
    mutating func closeHoles() {
        while let last = entries.last, last.sink == nil {
            entries.removeLast()
            holes &-= 1
        }
        guard holes > Self.toleratedHoles, holes > entries.count / 2 else { return }
        entries.removeAll { $0.sink == nil }
        holes = 0
    }
}
