// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV
internal import Glibc

/// A file's identity, whatever its name.
package struct FileIdentity: Equatable, CustomStringConvertible {
    let device: UInt
    let inode: UInt

    /// Looks at the file itself, not at what a symbolic link points to; nil if there is none.
    init?(at path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Looks at an open file; nil if the descriptor is not open.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }

    /// Device and inode, as `JOURNAL_STREAM` has them.
    package var description: String { "\(device):\(inode)" }
}

extension UnixSocket {
    static func checkLength(_ path: String) throws(UnixSocketError) {
        let bytes = path.utf8.count
        if path.isEmpty || path.utf8.contains(0) { throw .invalidPath(path) }
        if bytes > maximumPathBytes { throw .pathTooLong(path, bytes: bytes) }
    }

    static func makeFolder(of path: String) throws(UnixSocketError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        if unsafe mkdir(folder, 0o755) == 0 {
            // The umask may have taken rights away.
            guard unsafe chmod(folder, 0o755) == 0 else { throw .failed(.last("chmod \(folder)")) }
        } else if errno != EEXIST {
            throw .failed(.last("make the folder \(folder)"))
        }
    }

    /// Removes a socket that nobody listens on any more, and refuses anything else.
    ///
    /// Called with the lock held.
    static func removeStale(_ path: String) throws(UnixSocketError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .failed(.last("look at \(path)"))
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .notASocket(path, kind: kind(of: status.st_mode))
        }
        switch try probe(path) {
        case 0, EAGAIN: throw .answered(path)
        case ENOENT: return
        case ECONNREFUSED: break
        case let code: throw .failed(LoopError("probe \(path)", code: code))
        }
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw .failed(.last("remove the stale socket \(path)"))
        }
    }

    /// Tries to connect, without waiting: a full backlog (EAGAIN) is a sign of life too.
    private static func probe(_ path: String) throws(UnixSocketError) -> Int32 {
        let probe = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard probe >= 0 else { throw .failed(.last("make a socket")) }
        defer { _ = close(probe) }
        let status = unsafe withAddress(path) { address, size in
            unsafe connect(probe, address, size)
        }
        return status == 0 ? 0 : errno
    }

    /// Binds with exactly this mode and group, and says which file came of it.
    static func bind(
        _ descriptor: Int32, to path: String, mode: UInt32, group: UInt32?
    ) throws(UnixSocketError) -> FileIdentity {
        guard fchmod(descriptor, mode) == 0 else { throw .failed(.last("fchmod the socket")) }
        let former = umask(~mode & 0o777)
        let result = unsafe withAddress(path) { address, size in
            unsafe Glibc.bind(descriptor, address, size)
        }
        let code = errno
        umask(former)
        guard result == 0 else { throw .failed(LoopError("bind \(path)", code: code)) }
        do throws(UnixSocketError) {
            return try settle(path, mode: mode, group: group)
        } catch {
            _ = unsafe unlink(path)
            throw error
        }
    }

    /// Sets the group, then compares what is there with what was asked.
    private static func settle(
        _ path: String, mode: UInt32, group: UInt32?
    ) throws(UnixSocketError) -> FileIdentity {
        if let group, unsafe lchown(path, uid_t.max, group) != 0 {
            throw .failed(.last("give \(path) to group \(group)"))
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .failed(.last("look at \(path)")) }
        guard status.st_mode == S_IFSOCK | mode, group == nil || status.st_gid == group else {
            throw .failed(LoopError("set mode and group of \(path)", code: EPERM))
        }
        return FileIdentity(status)
    }

    /// Lends the path as a socket address.
    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            unsafe room.copyBytes(from: path.utf8)
        }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe body(generic, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func kind(of mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFREG: "regular file"
        case S_IFDIR: "directory"
        case S_IFLNK: "symbolic link"
        case S_IFIFO: "named pipe"
        default: "device"
        }
    }
}
