// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV

/// The one way into a loop from other threads: a queue of jobs that wakes it.
///
/// Jobs run on the loop in the order in which they were posted; those posted by one job run in a
/// later turn. A job posted after the loop was closed is dropped without being run. To reach state
/// that lives on the loop, post to a ``LoopBound`` box.
@safe
package final class Inbox: @unchecked Sendable {
    /// Posts one job; callable from any thread, the loop's own included.
    package func post(_ job: @escaping @Sendable () -> Void) {
        lock.withLock {
            guard let wakeUp = unsafe wakeUp else { return }
            waiting.append(job)
            // Sent under the lock, so that the handle cannot be closed in between.
            if waiting.count == 1 { unsafe uv_async_send(wakeUp) }
        }
    }

    /// Posts a job that is given the value of a box which can only be opened on this loop.
    package func post<Value>(
        to box: LoopBound<Value>, _ job: @escaping @Sendable (Value) -> Void
    ) {
        post { job(box.value) }
    }

    private let lock = Lock()
    /// Guarded by the lock; nil before the loop opened and once it is closed.
    private var wakeUp: UnsafeMutablePointer<uv_async_t>?
    /// Guarded by the lock.
    private var waiting: [@Sendable () -> Void] = []
    /// The batch being run, kept for its capacity; touched by the loop only.
    private var running: [@Sendable () -> Void] = []

    /// Attaches the inbox to its loop.
    func open(on loop: UnsafeMutablePointer<uv_loop_t>) throws(LoopError) {
        let handle = unsafe allocate(uv_async_t.self, context: self)
        let status = unsafe uv_async_init(loop, handle) { handle in
            unsafe withContext(handle?.pointee.data, as: Inbox.self) { $0.runWaitingJobs() }
        }
        guard status == 0 else {
            unsafe deallocate(handle)
            throw LoopError("uv_async_init", code: -status)
        }
        lock.withLock { unsafe wakeUp = handle }
    }

    /// Drops what waits and refuses what comes.
    func close() {
        let (handle, dropped) = unsafe lock.withLock {
            defer {
                unsafe wakeUp = nil
                waiting = []
            }
            return unsafe (wakeUp, waiting)
        }
        if let handle = unsafe handle { unsafe closeHandle(handle) }
        // Released only now, outside the lock: a captured value's deinit may post.
        withExtendedLifetime(dropped) {}
    }

    private func runWaitingJobs() {
        lock.withLock { swap(&waiting, &running) }
        for job in running { job() }
        running.removeAll(keepingCapacity: true)
    }
}
