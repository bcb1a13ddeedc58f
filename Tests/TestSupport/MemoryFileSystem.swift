// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A small file system in memory, mounted at a folder.
package struct MemoryFileSystem {
    private let folder: String

    /// Whether this user may mount, tried out once.
    package static let isPermitted: Bool = {
        guard let folder = try? temporaryFolder() else { return false }
        defer { try? FileManager.default.removeItem(at: folder) }
        guard let mounted = try? MemoryFileSystem(at: folder.path, options: "size=64k") else {
            return false
        }
        mounted.unmount()
        return true
    }()

    package init(at folder: String, options: String, isReadOnly: Bool = false) throws {
        self.folder = folder
        let flags = isReadOnly ? UInt(MS_RDONLY) : 0
        guard unsafe Glibc.mount("tmpfs", folder, "tmpfs", flags, options) == 0 else {
            throw TestFailure("mount \(folder): errno \(errno)")
        }
    }

    /// Hides the file system at once; it goes when nobody uses it any more, a child that is being forked for example.
    package func unmount() {
        unsafe umount2(folder, Int32(MNT_DETACH))
    }
}
