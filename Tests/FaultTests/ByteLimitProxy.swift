// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport

/// Stands between clients and a daemon and cuts each connection after so many bytes of one direction.
///
/// The cut is sudden for both sides: neither learns what the other sent behind it.
final class ByteLimitProxy: Sendable {
    enum Direction: Sendable { case request, reply }

    private struct Plan {
        let direction: Direction
        let bytes: Int
        let isForOne: Bool
    }

    /// Where the next connections are cut, or the next one.
    private let plan = Mutex<Plan?>(nil)
    private let listener: Int32
    let path: String
    private let target: String

    /// Listens at `path` for clients of the daemon at `target`.
    init(at path: String, to target: String) throws {
        self.path = path
        self.target = target
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = socketAddress(path)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, listen(listener, 16) == 0 else {
            throw TestFailure("no proxy at \(path): errno \(errno)")
        }
        let thread = Thread { [self] in
            while true {
                let peer = accept(listener, nil, nil)
                guard peer >= 0 else { return }
                Thread { [self] in serve(peer) }.start()
            }
        }
        thread.start()
    }

    /// Ends it; connections that are open go on.
    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        _ = Glibc.close(listener)
    }

    /// Cuts connections from now on after so many bytes, or only the next one.
    func cut(_ direction: Direction, after bytes: Int, once isForOne: Bool = false) {
        plan.withLock { $0 = Plan(direction: direction, bytes: bytes, isForOne: isForOne) }
    }

    /// Carries bytes both ways until one side ends, or the cut.
    private func serve(_ peer: Int32) {
        let plan = plan.withLock { plan in
            defer { if plan?.isForOne == true { plan = nil } }
            return plan
        }
        guard let upstream = try? LineClient(path: target) else {
            _ = Glibc.close(peer)
            return
        }
        defer {
            _ = Glibc.close(peer)
            upstream.close()
        }
        var left = plan?.bytes ?? .max
        while true {
            var states = [peer, upstream.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard left > 0, unsafe poll(&states, 2, -1) > 0 else { return }
            for (from, to, direction) in [
                (0, upstream.descriptor, Direction.request), (1, peer, .reply),
            ] where states[from].revents != 0 {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = unsafe recv(states[from].fd, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                let passed = direction == plan?.direction ? min(count, left) : count
                guard unsafe send(to, buffer, passed, Int32(MSG_NOSIGNAL)) == passed else { return }
                if direction == plan?.direction { left -= passed }
            }
        }
    }
}
