// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A loop that is suspended until it is answered.
///
/// A reference to the continuation, not the continuation itself: its layout is hidden in the
/// standard library, and a state that holds one costs 60 ns more each time it is touched. Whoever
/// takes the waiter out of a state, under the lock, is the one who resumes it.
@usableFromInline
final class Waiter<Answer: Sendable>: Sendable {
    @usableFromInline let continuation: CheckedContinuation<Answer, Never>

    @inlinable
    init(_ continuation: CheckedContinuation<Answer, Never>) {
        self.continuation = continuation
    }

    @inlinable
    func resume(returning answer: Answer) {
        continuation.resume(returning: answer)
    }
}
