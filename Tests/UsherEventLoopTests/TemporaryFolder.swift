// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder with a short path, removed with all in it: a Unix socket's path has little room.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/usher-XXXXXX".utf8CString)
        guard let made = unsafe mkdtemp(&template) else {
            throw CocoaError(.fileWriteUnknown)
        }
        path = unsafe String(cString: made)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
