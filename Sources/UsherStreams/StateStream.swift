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
    /// The read is tracked by `withObservationTracking` and by views, which are told after a
    /// change. The system begins to track when the reading closure has returned: a change that
    /// another thread makes between the two is not told. Where each last value must arrive,
    /// observe, or loop.
    @inlinable
    public var value: Value {
        registrar.access(self, keyPath: path)
        return delivery.state.withLock { $0.kept }
    }

    /// Calls the body with the current value, and then with each later one, on the thread that
    /// sets it.
    ///
    /// The first call is made before this returns, on this thread, unless another call of an
    /// observer of this stream is running: then it waits for its turn.
    @inlinable
    public func observe(_ body: @escaping @Sendable (Value) -> Void) -> Subscription {
        guard let number = delivery.addWithFirst(Observer(body)) else { return Subscription(nil) }
        return Subscription { [self] in delivery.remove(number) }
    }

    /// Registers a loop: it sees the current value first, and then always the newest.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(over: self)
    }
}
