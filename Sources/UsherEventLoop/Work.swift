// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV

extension EventLoop {
    /// Runs `body` on libuv's thread pool, then `then` on the loop with its result.
    ///
    /// The pool has few threads (four unless UV_THREADPOOL_SIZE says otherwise), shared by the
    /// process: for calls that block for a moment, such as `getpwuid_r`.
    package func work<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result, then: @escaping (Result) -> Void
    ) {
        assertCurrent()
        let job = Job(body, then)
        let request = unsafe allocate(uv_work_t.self, context: job)
        let status = unsafe uv_queue_work(
            uv, request,
            { request in
                unsafe withContext(request?.pointee.data, as: AnyJob.self) { $0.run() }
            },
            { request, _ in
                guard let request = unsafe request else { return }
                unsafe withContext(request.pointee.data, as: AnyJob.self) { $0.finish() }
                unsafe deallocate(request)
            })
        precondition(status == 0, LoopError("uv_queue_work", code: -status).description)
    }
}

/// A job whatever its result: a C callback cannot be generic.
private class AnyJob {
    func run() {}
    func finish() {}
}

/// One trip to the thread pool and back; libuv's queue orders the two sides.
private final class Job<Result: Sendable>: AnyJob {
    private let body: @Sendable () -> Result
    private let then: (Result) -> Void
    private var result: Result?

    init(_ body: @escaping @Sendable () -> Result, _ then: @escaping (Result) -> Void) {
        self.body = body
        self.then = then
    }

    override func run() {
        result = body()
    }

    override func finish() {
        if let result = result.take() { then(result) }
    }
}
