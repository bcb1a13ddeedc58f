// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A value that threads share, with the one lock of this module, and a way to wait until the value is as needed.
///
/// It is made of pthread primitives: the worker has to sleep with a deadline, which a `Mutex` cannot do, and the thread
/// sanitizer sees these for what they are.
@safe final class Monitor<Value: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe check(pthread_mutex_init(mutex, nil))
        unsafe check(pthread_condattr_init(&attributes))
        unsafe check(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC))
        unsafe check(pthread_cond_init(changed, &attributes))
        unsafe check(pthread_condattr_destroy(&attributes))
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Gives the value as it is now.
    var snapshot: Value {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return value
    }

    /// Changes the value and wakes those who wait; `body` must be short and must not use the monitor.
    func update<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(changed)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body(&value)
    }

    /// Sleeps until `take` gives something, which may change the value; nil when `timeout` is over before.
    func wait<Result>(timeout: Duration, _ take: (inout Value) -> Result?) -> Result? {
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.add(timeout)
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = take(&value) { return result }
            if unsafe pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT {
                return take(&value)
            }
        }
    }

    /// Sleeps until `take` gives something, which may change the value.
    func wait<Result>(_ take: (inout Value) -> Result?) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = take(&value) { return result }
            unsafe pthread_cond_wait(changed, mutex)
        }
    }

    private func check(_ code: Int32) {
        precondition(code == 0, "a lock cannot be made: error \(code)")
    }
}

extension timespec {
    fileprivate mutating func add(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        tv_sec += Int(seconds)
        tv_nsec += Int(attoseconds / 1_000_000_000)
        if tv_nsec >= 1_000_000_000 {
            tv_sec += 1
            tv_nsec -= 1_000_000_000
        }
    }
}
