// Part of Usher. SPDX-License-Identifier: Apache-2.0

public import Observation

extension StateStream {
    /// The value as the setter looks at it: not tracked, and not counted as an observation.
    @inlinable
    package var current: Value { delivery.state.withLock { $0.kept } }

    /// Replaces the value; dropped after the end.
    @inlinable
    package func set(_ value: Value) {
        // Swapped, so that the old value is released after unlocking.
        var value = value
        delivery.send(changing: { swap(&$0, &value) }, element: { $0 }, announce: announce)
    }

    /// Changes the value in place, without a copy unless somebody holds one.
    ///
    /// - Parameter body: Runs under the lock: it must be short, and call nothing of a user's.
    @inlinable
    package func update(_ body: (inout Value) -> Void) {
        delivery.send(changing: body, element: { $0 }, announce: announce)
    }

    /// Observes, and is told of the end too: after the last value, in its turn, unless cancelled.
    @inlinable
    package func observe(
        _ body: @escaping @Sendable (Value) -> Void, whenEnded: (@Sendable () -> Void)?
    ) -> Subscription {
        let observer = Observer(body, whenEnded: whenEnded)
        guard let number = delivery.addWithFirst(observer) else {
            // The first value may still wait for its turn.
            return Subscription { [weak observer] in observer?.cancel() }
        }
        return Subscription { [self] in delivery.remove(number) }
    }

    /// Ends all loops, after the newest value, and lets all observers go; the value stays.
    @inlinable
    package func finish() {
        delivery.finish()
    }

    /// Tells when the first observer, loop or reader of `value` has come (true) and when the last
    /// has gone (false).
    ///
    /// Readers stay until the end. Reports are made without a lock, in order, one at a time, on the
    /// thread that brought the change about. They always alternate, beginning with true: what comes
    /// and goes during a report may be passed over. One hook a stream, which must not hold the
    /// stream.
    @inlinable
    package func whenObserved(_ hook: @escaping @Sendable (_ isObserved: Bool) -> Void) {
        delivery.setInterestHook(hook)
    }

    /// Tells the users of `withObservationTracking`, and views.
    ///
    /// Made after the change, not around it: another thread that is told before could look, still
    /// find the old value, and wait for a change that it has been told of.
    ///
    /// - Parameter again: Whether to tell once more, on the main actor: a view that is reading
    ///   there at this moment is not tracked until it has read, and would not hear of the change.
    @inlinable
    func announce(again: Bool) {
        registrar.withMutation(of: self, keyPath: path) {}
        guard again else { return }
        Task { @MainActor [weak self] in
            guard let self else { return }
            delivery.state.withLock { $0.interest.isToldAgain = false }
            registrar.withMutation(of: self, keyPath: path) {}
        }
    }
}
