// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The socket of a service manager: what a service sends by sd_notify(3), message by message.
@safe
package final class NotifySocket {
    /// What goes into `NOTIFY_SOCKET`.
    package let address: String
    private let descriptor: Int32

    /// Makes a socket at a path, or with an abstract name behind an `@`.
    package init(_ address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(address.utf8)
        let isAbstract = bytes[0] == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let size = socklen_t(2 + bytes.count + (isAbstract ? 0 : 1))
        let status = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size)
            }
        }
        guard status == 0 else { throw TestFailure("bind \(address): errno \(errno)") }
    }

    deinit {
        _ = close(descriptor)
    }

    /// The next message by its variables; nil if none comes in time.
    package func next(within seconds: Double = 30) -> [String: String]? {
        var time = timeval(
            tv_sec: Int(seconds), tv_usec: Int((seconds - seconds.rounded(.down)) * 1_000_000))
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        return lines.reduce(into: [:]) { message, line in
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            message[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
    }

    /// The next message that has a variable; nil if none comes in time.
    package func next(with variable: String) -> [String: String]? {
        while let message = next() {
            if message[variable] != nil { return message }
        }
        return nil
    }

    /// Forgets what has come so far.
    package func drain() {
        while next(within: 0.001) != nil {}
    }
}
