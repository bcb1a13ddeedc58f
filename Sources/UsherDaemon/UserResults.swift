// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherWire

/// The encoded results about users, kept until the state changes: reads are many, changes are few.
struct UserResults {
    private var results: [Int64: Encoded] = [:]

    private struct Encoded {
        let revision: UInt64
        let json: [UInt8]
    }

    /// Users whose results are kept; with more of them, all are dropped and made again as they are asked for.
    private static let limit = 1_024

    /// The result for a user as it is now.
    mutating func result(_ id: Int64, _ core: borrowing Core) -> [UInt8] {
        let revision = core.revision(ofUser: id)
        if let known = results[id], known.revision == revision { return known.json }
        if results.count >= Self.limit { results.removeAll(keepingCapacity: true) }
        var writer = JSONWriter()
        writer.userResult(id, core)
        results[id] = Encoded(revision: revision, json: writer.bytes)
        return writer.bytes
    }
}
