// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherWire

/// The descriptors that this process may have; each connection takes one.
enum Descriptors {
    /// How many the daemon opens beside those of its clients: for the socket, the store, services, and connections that
    /// are being refused, of which a turn accepts some more than linger.
    private static let reserve = 40

    /// How many clients the process has descriptors for, beside those that are open, after the soft limit was raised
    /// to the hard one.
    ///
    /// The soft limit is often 1,024, for the sake of programs that use `select`, which this one does not.
    static func roomForClients() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return .max
        }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        let room = Int(clamping: limit.rlim_cur)
        return max(1, room - min(room, countOpen() + reserve))
    }

    /// How many are open; a parent may have left some.
    private static func countOpen() -> Int {
        Folder.names(in: "/proc/self/fd")?.count ?? 16
    }
}

extension Configuration {
    /// The same with no more clients than there are descriptors for, so that the one too many is told so and the store
    /// and the services never lack one.
    func fitting(_ room: Int, _ log: Log) -> Configuration {
        guard limits.clients > room else { return self }
        var fitting = self
        fitting.limits.clients = room
        log.warning(
            "descriptors suffice for \(room) clients, not \(limits.clients): raise the limit (ulimit -n, LimitNOFILE=)"
        )
        return fitting
    }
}
