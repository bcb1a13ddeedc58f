// Part of Usher. SPDX-License-Identifier: Apache-2.0

public import Observation

/// A value that changes: read it, observe it, loop over it, or use it in a view.
///
/// Observers are called in the order they subscribed, by the thread that sets, one call at a
/// time, with each value in turn; what is set inside an observer waits for its turn. A loop is
/// given the newest value and may miss some in between. The last value always arrives.
public final class StateStream<Value: Sendable>: AsyncSequence, Observation.Observable, Sendable {
    /// What a loop sees.
    public typealias Element = Value
    /// No stream fails: errors are states.
    public typealias Failure = Never

    @usableFromInline let delivery: Delivery<Value, Value>
    @usableFromInline let registrar = ObservationRegistrar()

    /// Made once a stream, since each evaluation of a generic key path allocates.
    @usableFromInline let path: any KeyPath<StateStream, Value> & Sendable = \StateStream.value

    /// A stream that nothing sets: for previews and tests.
    @inlinable
    public init(_ value: Value) {
        delivery = Delivery(keeping: value)
    }

    /// The newest value; reading it never waits for an observer.
    ///
    /// A value that was read once counts as observed until the stream ends, since nobody can tell
    /// how long a view will show it: the client keeps it up to date from then on.
    ///
    /// The read is tracked by `withObservationTracking` and by views, which are told after a
    /// change, on any thread. The system begins to track when the reading closure has returned, so
    /// a change in between would not be told; it is told once more on the main actor, where views
    /// read. Elsewhere, observe, or loop, if the last value must arrive.
    @inlinable
    public var value: Value {
        registrar.access(self, keyPath: path)
        return delivery.read()
    }

    /// Calls the body with the current value, and then with each later one, on the thread that
    /// sets it.
    ///
    /// The first call is made before this returns, on this thread, unless another call of an
    /// observer of this stream is running: then it waits for its turn.
    @inlinable
    public func observe(_ body: @escaping @Sendable (Value) -> Void) -> Subscription {
        observe(body, whenEnded: nil)
    }

    /// Registers a loop: it sees the current value first, and then always the newest.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(over: self)
    }
}
