// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension EventLoop {
    /// Runs `body` at once, as on another thread, and `then` in the next turn.
    package func work<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result, then: @escaping (Result) -> Void
    ) {
        var result: Result?
        Kernel.onAnotherThread { result = body() }
        if let result { finishedWork.append { then(result) } }
    }
}
