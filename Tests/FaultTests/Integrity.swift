// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import UsherStore

/// What SQLite's own check says of a database file: `ok`, or the first thing that is wrong.
func integrity(of path: String) throws -> String {
    do {
        return try Database(path: path).text("PRAGMA integrity_check(1)")
    } catch {
        return error.detail
    }
}
