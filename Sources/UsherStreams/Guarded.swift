// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// The only file that knows which lock the streams, and the client on top of them, use. `Mutex` is
// a futex inside the standard library, which ThreadSanitizer does not see on Linux: it would
// report races in correct code. A build for it (`-Xswiftc -DTSAN`) therefore takes a pthread
// mutex around the same `Mutex`, and the sanitizer follows that one.

public import Synchronization

#if TSAN
import Glibc
#endif

/// A value that only one thread at a time can touch.
///
/// Nothing of a user's may run under the lock, not even a deinitializer: take what is replaced
/// out of the state, return it from `withLock`, and let it go afterwards.
@usableFromInline
package struct Guarded<State: Sendable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>

    #if TSAN
    @usableFromInline let visible = VisibleLock()
    #endif

    @inlinable
    package init(_ state: State) {
        mutex = Mutex(state)
    }

    @inlinable
    @inline(__always)
    package borrowing func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        #if TSAN
        visible.lock()
        defer { visible.unlock() }
        #endif
        return mutex.withLock { body(&$0) }
    }
}

#if TSAN
/// A pthread mutex, kept as an address because a pointer is not `Sendable`.
@usableFromInline
final class VisibleLock: Sendable {
    @usableFromInline let address: UInt

    @usableFromInline
    init() {
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(lock, nil)
        address = UInt(bitPattern: lock)
    }

    deinit {
        unsafe pthread_mutex_destroy(pointer)
        unsafe pointer.deallocate()
    }

    private var pointer: UnsafeMutablePointer<pthread_mutex_t> {
        guard let pointer = unsafe UnsafeMutablePointer<pthread_mutex_t>(bitPattern: address)
        else { preconditionFailure("no mutex is at address zero") }
        return unsafe pointer
    }

    @usableFromInline
    func lock() {
        unsafe pthread_mutex_lock(pointer)
    }

    @usableFromInline
    func unlock() {
        unsafe pthread_mutex_unlock(pointer)
    }
}
#endif
