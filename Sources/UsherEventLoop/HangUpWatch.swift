// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Once a peer has closed its writing side, libuv stops watching the socket for input (it would be
// readable for ever), and with it the peer's final hang-up goes unseen until the next write.
// Half-closed connections therefore join one epoll set of their own, with no events asked for: the
// kernel then reports only EPOLLHUP and EPOLLERR, which is what is wanted. The set's descriptor is
// itself watched by the loop. This costs one descriptor a loop and none a connection.

internal import CUsherUV
internal import Glibc

/// Notices the hang-up of peers that have already closed their writing side.
@safe
final class HangUpWatch {
    private var set: Int32 = -1
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private var connections: [Int32: Connection] = [:]

    /// How many hang-ups one turn deals with; the rest follow in the next.
    private static let batch = 64

    func open(on loop: UnsafeMutablePointer<uv_loop_t>) throws(LoopError) {
        set = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard set >= 0 else { throw .last("epoll_create1") }
        let handle = unsafe allocate(uv_poll_t.self, context: self)
        let status = unsafe uv_poll_init(loop, handle, set)
        precondition(status == 0, "an epoll set can be polled")
        unsafe uv_poll_start(handle, Int32(UV_READABLE.rawValue)) { handle, _, _ in
            unsafe withContext(handle?.pointee.data, as: HangUpWatch.self) { $0.dispatch() }
        }
        unsafe self.handle = handle
    }

    func close() {
        precondition(connections.isEmpty, "an EventLoop was closed with an open connection")
        if let handle = unsafe handle { unsafe closeHandle(handle) }
        unsafe self.handle = nil
        if set >= 0 { _ = Glibc.close(set) }
        set = -1
    }

    func add(_ connection: Connection) throws(LoopError) {
        var event = unsafe epoll_event()
        unsafe event.data.fd = connection.descriptor
        guard unsafe epoll_ctl(set, EPOLL_CTL_ADD, connection.descriptor, &event) == 0 else {
            throw .last("epoll_ctl")
        }
        connections[connection.descriptor] = connection
    }

    /// Ends the watch; called before the descriptor is closed.
    func remove(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.descriptor) != nil else { return }
        epoll_ctl(set, EPOLL_CTL_DEL, connection.descriptor, nil)
    }

    /// Takes one event at a time: a callback may close any other connection.
    private func dispatch() {
        for _ in 0..<Self.batch {
            var event = unsafe epoll_event()
            guard unsafe epoll_wait(set, &event, 1, 0) == 1 else { return }
            unsafe connections[event.data.fd]?.close(.hangUp)
        }
    }
}
