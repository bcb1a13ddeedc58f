// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The state file as the file system sees it: its folder, its lock, its mode.
///
/// Two daemons that start at once would each keep the other from SQLite's exclusive lock, and both would give up. So a
/// lock file decides first, before the loser has touched the store. It is never unlinked: who unlinks a lock file lets
/// in two owners.
final class StoreFile {
    let path: String
    private let lock: Int32

    /// Makes the folder (0700) and the file (0600) where they are missing, and takes the lock.
    init(path: String) throws(StoreError) {
        self.path = path
        try Self.createFolder(of: path)
        try Self.checkKind(of: path)
        lock = try Self.takeLock(path + ".lock", for: path)
        do throws(StoreError) {
            try Self.createFile(path)
            try Self.checkAccess(to: path)
        } catch {
            Glibc.close(lock)
            throw error
        }
    }

    deinit {
        Glibc.close(lock)
    }

    private static func createFolder(of path: String) throws(StoreError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        if unsafe access(folder, F_OK) == 0 { return }
        try createFolder(of: folder)
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure(folder) }
        try syncFolder(of: folder)
    }

    /// Makes the name of a new file or folder durable, not only what is in it.
    private static func syncFolder(of path: String) throws(StoreError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may be written but not read cannot be synced; that is its owner's choice.
        if descriptor < 0 { return }
        defer { Glibc.close(descriptor) }
        if fsync(descriptor) != 0, errno != EINVAL { throw failure(folder) }
    }

    private static func checkKind(of path: String) throws(StoreError) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw StoreError(.notAFile, path: path, detail: "it is a directory")
        default: throw StoreError(.notAFile, path: path, detail: "it is a device, pipe or socket")
        }
    }

    private static func takeLock(_ lock: String, for path: String) throws(StoreError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe Glibc.open(lock, flags, 0o600)
        if descriptor < 0 { throw failure(lock) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            defer { Glibc.close(descriptor) }
            if errno != EWOULDBLOCK { throw failure(lock) }
            throw StoreError(.locked, path: path, detail: holder(descriptor))
        }
        // The number is a convenience for people: without space for it the lock is as good.
        ftruncate(descriptor, 0)
        let holder = Array("\(getpid())\n".utf8)
        unsafe pwrite(descriptor, holder, holder.count, 0)
        return descriptor
    }

    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        guard let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            return "locked"
        }
        return "pid \(pid)"
    }

    /// Makes an empty file, so that SQLite does not make it with a wider mode; it gives its log the mode of the file.
    ///
    /// A file that exists is not opened: closing it again would drop the locks that SQLite has on it in this process.
    private static func createFile(_ path: String) throws(StoreError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = unsafe Glibc.open(path, flags, 0o600)
        if descriptor < 0 {
            if errno == EEXIST { return }
            throw failure(path)
        }
        fchmod(descriptor, 0o600)
        Glibc.close(descriptor)
        try syncFolder(of: path)
    }

    private static func checkAccess(to path: String) throws(StoreError) {
        if unsafe access(path, R_OK | W_OK) != 0 { throw failure(path) }
    }

    private static func failure(_ path: String) -> StoreError {
        let kind: StoreError.Kind =
            switch errno {
            case EACCES, EPERM: .permission
            case EROFS: .readOnly
            case ENOSPC, EDQUOT: .full
            case ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG: .notAFile
            default: .io
            }
        return StoreError(kind, path: path, detail: systemText(errno))
    }
}
