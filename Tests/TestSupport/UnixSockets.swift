// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Lends the address of a Unix socket, whose path has to fit, to `bind` or `connect`, and gives back what that says.
func withSocketAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
        unsafe $0.copyBytes(from: path.utf8)
    }
    return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}

/// A descriptor that is connected to a socket's path; whoever gets it closes it.
package func connectedSocket(to path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard unsafe withSocketAddress(path, { unsafe connect(descriptor, $0, $1) }) == 0 else {
        let error = errno
        close(descriptor)
        throw TestFailure("connect \(path): errno \(error)")
    }
    return descriptor
}

/// A socket that listens at a path; whoever gets it closes it.
package func listeningSocket(at path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard unsafe withSocketAddress(path, { unsafe bind(descriptor, $0, $1) }) == 0,
        listen(descriptor, 16) == 0
    else {
        let error = errno
        close(descriptor)
        throw TestFailure("listen at \(path): errno \(error)")
    }
    return descriptor
}

/// A socket at a path that hands each connection to a thread of its own, until it is closed.
package final class ThreadedListener: Sendable {
    private let descriptor: Int32

    /// Listens; `serve` may keep a connection as long as it likes, and it is closed after.
    package init(at path: String, _ serve: @escaping @Sendable (Int32) -> Void) throws {
        let descriptor = try listeningSocket(at: path)
        self.descriptor = descriptor
        Thread.detachNewThread {
            while true {
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { return }
                Thread.detachNewThread {
                    serve(peer)
                    close(peer)
                }
            }
        }
    }

    /// Takes no more connections; those that are open go on.
    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
