// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV
internal import Glibc

/// A mutual exclusion lock.
///
/// A pthread mutex rather than `Synchronization.Mutex`, because the thread sanitizer understands
/// it.
@safe
final class Lock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed: \(status)")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` while holding the lock; not recursive.
    func withLock<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}
