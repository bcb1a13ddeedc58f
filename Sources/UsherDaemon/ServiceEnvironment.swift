// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a service manager hands to the process that it starts, as sd_notify(3), sd_watchdog_enabled(3) and
/// sd_listen_fds(3) say; nothing where nobody manages it.
package struct ServiceEnvironment: Sendable {
    /// A socket that was opened for this process.
    struct InheritedSocket: Sendable {
        let descriptor: Int32
        /// What its unit calls it; for messages.
        let name: String
    }

    /// Where to tell how the service fares.
    let notifySocket: String?
    /// In what time it has to tell that it is alive.
    let watchdogMicroseconds: UInt64?
    let sockets: [InheritedSocket]

    /// The first descriptor that is passed on.
    private static let firstDescriptor: Int32 = 3
    /// More descriptors than this are not believed.
    private static let maximumDescriptors: Int32 = 64

    private static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS",
        "LISTEN_FDNAMES",
    ]

    /// Takes over what is meant for this process, and removes it from the environment, so that no child believes it is
    /// its own.
    ///
    /// Called once, before there are other threads and before any descriptor is opened that a child must not have.
    package static func take(from environment: [String: String]) -> ServiceEnvironment {
        let taken = ServiceEnvironment(environment, pid: getpid())
        for socket in taken.sockets { _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC) }
        for variable in variables { _ = unsafe unsetenv(variable) }
        return taken
    }
}

extension ServiceEnvironment {
    /// Reads an environment as the process `pid` has to.
    init(_ environment: [String: String], pid: Int32) {
        let isWatched = environment["WATCHDOG_PID"].map { Int32($0) == pid } ?? true
        let interval = environment["WATCHDOG_USEC"].flatMap { UInt64($0) } ?? 0
        self.init(
            notifySocket: environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 },
            watchdogMicroseconds: isWatched && interval > 0 ? interval : nil,
            sockets: Self.sockets(environment, pid: pid))
    }

    private static func sockets(
        _ environment: [String: String], pid: Int32
    ) -> [InheritedSocket] {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == pid,
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...maximumDescriptors).contains(count)
        else { return [] }
        let names = (environment["LISTEN_FDNAMES"] ?? "")
            .split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return (0..<count).map { index in
            let name = names.indices.contains(Int(index)) ? names[Int(index)] : ""
            return InheritedSocket(
                descriptor: firstDescriptor + index, name: name.isEmpty ? "unknown" : name)
        }
    }
}
