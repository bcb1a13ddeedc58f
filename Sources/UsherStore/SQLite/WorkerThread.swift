// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A thread of its own, by pthreads alone: Foundation's would bring tables of all the world's languages along.
enum WorkerThread {
    private typealias Body = @Sendable () -> Void

    /// Starts a thread that ends with `body`.
    ///
    /// `name` has at most 15 bytes. A system without room for another thread is as good as one without memory.
    static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
        let box = UnsafeMutablePointer<Body>.allocate(capacity: 1)
        unsafe box.initialize(to: {
            nameThisThread(name)
            body()
        })
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { box in
                guard let box = unsafe box?.assumingMemoryBound(to: Body.self) else { return nil }
                let body = unsafe box.move()
                unsafe box.deallocate()
                body()
                return nil
            }, box)
        precondition(status == 0, "a thread cannot be started: error \(status)")
        pthread_detach(thread)
    }

    /// The name is for people who look on; glibc's function for it is not to be had in Swift.
    private static func nameThisThread(_ name: String) {
        let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = unsafe write(file, name, name.utf8.count)
        _ = close(file)
    }
}
