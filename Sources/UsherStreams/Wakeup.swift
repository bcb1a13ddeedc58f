// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Tells one loop over a StateStream to look at the value again.
///
/// It carries no value, so that a slow loop holds nothing: any number of signals are as good as
/// one.
@usableFromInline
final class Wakeup: Sendable {
    @usableFromInline let state = Guarded(State())

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var isSignalled = true
        @usableFromInline var waiter: Waiter<Void>?

        @inlinable
        init() {}
    }

    @inlinable
    init() {}

    @inlinable
    func signal() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            if state.waiter == nil { state.isSignalled = true }
            return state.waiter
        }
        waiter?.resume(returning: ())
    }

    /// Returns when there was a signal since the last return, or the task was cancelled.
    @inlinable
    func wait(isolation actor: isolated (any Actor)?) async {
        if state.withLock({ $0.takeSignal() }) { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                let isSignalled = state.withLock { state in
                    precondition(state.waiter == nil, "one iterator, two calls of next() at a time")
                    let isSignalled = state.takeSignal()
                    if !isSignalled { state.waiter = Waiter(continuation) }
                    return isSignalled
                }
                if isSignalled { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
    }
}

extension Wakeup.State {
    @inlinable
    mutating func takeSignal() -> Bool {
        defer { isSignalled = false }
        return isSignalled
    }
}
