// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file of made-up films for `--movies file:PATH`, which goes with this value.
package final class MovieFile {
    package let path: String
    private let folder: URL

    /// Films numbered from 1, each with an overview of so many bytes on the wire, line separators among them.
    package init(count: Int, overviewBytes: Int) throws {
        folder = try temporaryFolder()
        path = folder.path + "/movies.json"
        // Written as one character, sent as six bytes.
        let separators = "\u{2028}\u{85}"
        let overview = separators + String(repeating: "x", count: max(0, overviewBytes - 12))
        let rows = (1...count).map {
            #"{"id":\#($0),"title":"Film \#($0)","overview":"\#(overview)"}"#
        }
        try ("[" + rows.joined(separator: ",\n") + "]").write(
            toFile: path, atomically: true, encoding: .utf8)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}
