// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Ends its observation when cancelled or released: keep it as long as the observation shall last.
///
/// It keeps the stream alive, and the closure with it. A closure that holds the subscription's
/// owner strongly therefore holds itself; use `[weak self]`, or `onMain(weak:)`.
public final class Subscription: Sendable {
    /// Taken out by the first `cancel()`, which lets the stream and the closure go.
    @usableFromInline let ending: Guarded<(@Sendable () -> Void)?>

    @inlinable
    init(_ end: (@Sendable () -> Void)?) {
        ending = Guarded(end)
    }

    @inlinable
    deinit {
        cancel()
    }

    /// Ends the observation; more than once is harmless.
    ///
    /// After it returns, no call starts on this thread, or on the main actor for `onMain`. A call
    /// that another thread is making at this moment may still finish.
    @inlinable
    public func cancel() {
        let end = ending.withLock { ending in
            defer { ending = nil }
            return ending
        }
        end?()
    }

    /// Keeps the subscription in an array, which ends all of its observations when it goes.
    @inlinable
    public func store(in set: inout [Subscription]) {
        set.append(self)
    }
}
