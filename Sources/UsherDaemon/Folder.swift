// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc

/// A folder of the file system.
enum Folder {
    /// The names in a folder, in no order, without `.` and `..`; nil if it cannot be read, or not to its end.
    ///
    /// Bytes that are no UTF-8 become U+FFFD.
    static func names(in path: String) -> [String]? {
        guard let folder = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else { return errno == 0 ? names : nil }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 1) { characters in
                    unsafe String(cString: characters)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}
