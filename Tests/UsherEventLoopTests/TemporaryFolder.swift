// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A temporary folder that is removed with all in it when nobody needs it any more.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = try temporaryFolder().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
