// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The state file as the file system sees it: its folder, its kind, its mode.
enum StoreFile {
    /// Makes the folders that are missing (0700).
    static func createFolder(of path: String) throws(StoreError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        if unsafe access(folder, F_OK) == 0 { return }
        try createFolder(of: folder)
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure(folder) }
        try syncFolder(of: folder)
    }

    /// Refuses what is there and is not a file; SQLite would wait for a pipe.
    static func checkKind(of path: String) throws(StoreError) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw StoreError(.notAFile, path: path, detail: "it is a directory")
        default: throw StoreError(.notAFile, path: path, detail: "it is a device, pipe or socket")
        }
    }

    /// Makes an empty file (0600) where there is none, and checks that it may be read and written.
    ///
    /// SQLite would make it with a wider mode; it gives its log the mode of the file. A file that exists is not opened:
    /// to close it again would drop the locks that SQLite has on it in this process.
    static func create(_ path: String) throws(StoreError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = unsafe Glibc.open(path, flags, 0o600)
        if descriptor >= 0 {
            fchmod(descriptor, 0o600)
            Glibc.close(descriptor)
            try syncFolder(of: path)
        } else if errno != EEXIST {
            throw failure(path)
        }
        if unsafe access(path, R_OK | W_OK) != 0 { throw failure(path) }
    }

    /// The failure of the last system call, which was about `path`.
    static func failure(_ path: String) -> StoreError {
        StoreError(.system(errno), path: path, detail: systemText(errno))
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
}
