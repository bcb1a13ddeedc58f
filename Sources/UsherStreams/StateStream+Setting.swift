// Part of Usher. SPDX-License-Identifier: Apache-2.0

public import Observation

extension StateStream {
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

    /// Ends all loops, after the newest value, and lets all observers go; the value stays.
    @inlinable
    package func finish() {
        delivery.finish()
    }

    /// Tells when the first observer or loop has come (true) and when the last has gone (false).
    ///
    /// Reports are made without a lock, in order, one at a time, on the thread that brought the
    /// change about. They always alternate, beginning with true: what comes and goes during a
    /// report may be passed over. One hook a stream, which must not hold the stream. Reading
    /// `value` is not seen by it.
    @inlinable
    package func whenObserved(_ hook: @escaping @Sendable (_ isObserved: Bool) -> Void) {
        delivery.setInterestHook(hook)
    }

    /// Tells the users of `withObservationTracking`, and views.
    ///
    /// Made after the change, not around it: another thread that is told before could look, still
    /// find the old value, and wait for a change that it has been told of.
    @inlinable
    func announce() {
        registrar.withMutation(of: self, keyPath: path) {}
    }
}
