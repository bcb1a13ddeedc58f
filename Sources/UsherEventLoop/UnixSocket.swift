// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The daemon's socket is made by hand: libuv 1.44 cuts a long path short without a word, only ever
// widens the mode, and on close unlinks whatever is at the path, a successor's socket too. The
// order here:
//
//     check the path's length → make the folder → take the lock → look at what is there, probe it, remove it if stale
//     → bind → group → compare with what was asked → listen
//
// The mode is exact from the first instant, whatever the umask: `fchmod` on the unbound socket sets
// what bind starts from, and the umask is set to the mode's complement around it. The group is set
// after bind; nobody can connect before `listen`, so there is no moment at which a wrong group gets
// in.

internal import CUsherUV
internal import Glibc

/// A listening Unix stream socket at a path that this process owns, or one inherited from systemd.
package struct UnixSocket: ~Copyable {
    /// The longest path that fits into a `sockaddr_un` with its closing zero.
    package static let maximumPathBytes = 107

    /// The path; nil if the socket was inherited.
    package let path: String?

    private var descriptor: Int32
    private let lock: SocketLock?
    /// Which file is ours, to remove no other.
    private let identity: FileIdentity?

    /// Makes a socket at `path`, replacing a stale one, and listens.
    ///
    /// The last folder of the path is made with mode 0755 if it is missing, those above it are not.
    /// Call it before other threads make files: the umask, which is the process's, is changed for
    /// the time of one `bind`.
    package init(
        at path: String, mode: UInt32, group: UInt32? = nil, backlog: Int32 = 511
    ) throws(UnixSocketError) {
        try Self.checkLength(path)
        try Self.makeFolder(of: path)
        let lock = try SocketLock(for: path)
        try Self.removeStale(path)
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .failed(.last("make a socket")) }
        let identity: FileIdentity
        do throws(UnixSocketError) {
            identity = try Self.bind(descriptor, to: path, mode: mode, group: group)
            guard listen(descriptor, backlog) == 0 else {
                throw .failed(.last("listen on \(path)"))
            }
        } catch {
            _ = close(descriptor)
            throw error
        }
        self.path = path
        self.lock = consume lock
        self.descriptor = descriptor
        self.identity = identity
    }

    /// Adopts a socket that somebody else made and will remove; it is neither locked nor ever
    /// unlinked here.
    ///
    /// It is closed with this value, but left open if this fails.
    package init(adopting descriptor: Int32) throws(UnixSocketError) {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            let status = unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &size)
            return status == 0 ? value : nil
        }
        guard option(SO_DOMAIN) == AF_UNIX, option(SO_TYPE) == Int32(SOCK_STREAM.rawValue),
            option(SO_ACCEPTCONN) == 1
        else { throw .notListening(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        path = nil
        lock = nil
        identity = nil
        self.descriptor = descriptor
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Hands the descriptor to a ``Listener``, which owns it from then on; called once.
    ///
    /// Keep this value as long as the daemon serves: it holds the lock.
    package mutating func takeDescriptor() -> Int32 {
        precondition(descriptor >= 0, "a socket's descriptor can be taken once")
        defer { descriptor = -1 }
        return descriptor
    }

    /// Unlinks the socket if the file at the path is still the one made here; called before the
    /// listener is closed.
    ///
    /// While the socket is open no other file can get its inode number. The lock file stays.
    package func remove() {
        guard let path, let identity, FileIdentity(at: path) == identity else { return }
        _ = unsafe unlink(path)
    }
}
