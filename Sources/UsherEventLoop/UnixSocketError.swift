// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Why a listening Unix socket could not be had.
package enum UnixSocketError: Error, Equatable, CustomStringConvertible {
    /// A `sockaddr_un` has no room for the path.
    case pathTooLong(String, bytes: Int)
    /// The path is empty or has a zero byte in it.
    case invalidPath(String)
    /// Another daemon holds the lock of this path.
    case owned(String, pid: Int32?)
    /// A program that knows nothing of the lock answers at this path.
    case answered(String)
    /// Something that is not a socket is at this path; it is left alone.
    case notASocket(String, kind: String)
    /// An inherited descriptor is not a listening Unix stream socket.
    case notListening(Int32)
    /// A system call failed.
    case failed(LoopError)

    package var description: String {
        switch self {
        case .pathTooLong(let path, let bytes):
            """
            the socket path has \(bytes) bytes, and the system allows at most \
            \(UnixSocket.maximumPathBytes): choose a shorter one than \(path)
            """
        case .invalidPath(let path):
            "the socket path must not be empty or contain a zero byte: \"\(path)\""
        case .owned(let path, let pid?):
            "another usherd (pid \(pid)) serves \(path)"
        case .owned(let path, nil):
            "another usherd serves \(path)"
        case .answered(let path):
            "another program answers at \(path): stop it, or choose another socket path"
        case .notASocket(let path, let kind):
            "\(path) is a \(kind), not a socket: remove it, or choose another socket path"
        case .notListening(let descriptor):
            "the inherited descriptor \(descriptor) is not a listening Unix stream socket"
        case .failed(let error):
            error.description
        }
    }
}
