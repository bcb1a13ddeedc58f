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

    /// Where the next connections are cut, or the next one; shared with the threads that serve.
    private final class Plan: Sendable {
        let cut = Mutex<Cut?>(nil)

        func take() -> Cut? {
            cut.withLock { cut in
                defer { if cut?.isForOne == true { cut = nil } }
                return cut
            }
        }
    }

    private struct Cut {
        let direction: Direction
        let bytes: Int
        let isForOne: Bool
    }

    private let plan = Plan()
    private let listener: ThreadedListener
    let path: String

    /// Listens at `path` for clients of the daemon at `target`.
    init(at path: String, to target: String) throws {
        self.path = path
        listener = try ThreadedListener(at: path) { [plan] peer in
            Self.serve(peer, target, plan.take())
        }
    }

    /// Cuts connections from now on after so many bytes, or only the next one.
    func cut(_ direction: Direction, after bytes: Int, once isForOne: Bool = false) {
        plan.cut.withLock { $0 = Cut(direction: direction, bytes: bytes, isForOne: isForOne) }
    }

    /// Carries bytes both ways until one side ends, or the cut.
    private static func serve(_ peer: Int32, _ target: String, _ cut: Cut?) {
        guard let upstream = try? LineClient(path: target) else { return }
        defer { upstream.close() }
        var left = cut?.bytes ?? .max
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
                let passed = direction == cut?.direction ? min(count, left) : count
                guard unsafe send(to, buffer, passed, Int32(MSG_NOSIGNAL)) == passed else { return }
                if direction == cut?.direction { left -= passed }
            }
        }
    }
}
