// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherWire

/// The encoded results about users, kept until the state changes: reads are many, changes are few.
struct UserResults {
    private var results: [Int64: Encoded] = [:]

    private struct Encoded {
        let revision: UInt64
        let json: [UInt8]
        /// Where the state stands in it.
        let state: Range<Int>
    }

    /// What follows the id in an answer that was right when so many changes had been shown.
    struct KnownAnswer {
        fileprivate var user: Int64 = -1
        fileprivate var asOf: UInt64 = 0
        fileprivate var tail: [UInt8] = []
    }

    /// Users whose results are kept; with more of them, all are dropped and made again as they are asked for.
    private static let limit = 1_024

    /// What most results fit in, so that a buffer for one need not grow step by step.
    private static let typicalBytes = 256

    /// The result for a user as it is now.
    mutating func result(_ id: Int64, _ core: Core) -> [UInt8] {
        let revision = core.revision(ofUser: id)
        if let known = results[id], known.revision == revision { return known.json }
        if results.count >= Self.limit { results.removeAll(keepingCapacity: true) }
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(Self.typicalBytes)
        let state = writer.userResult(id, core)
        results[id] = Encoded(revision: revision, json: writer.bytes, state: state)
        return writer.bytes
    }

    /// The encoded state of a user at a revision, if that was asked for; a push most often shows what was just answered.
    func state(of id: Int64, revision: UInt64) -> ArraySlice<UInt8>? {
        guard let known = results[id], known.revision == revision else { return nil }
        return known.json[known.state]
    }
}

extension Daemon {
    /// What follows the id in the answer to who asks for a user; not looked up while nothing at all has changed.
    func userAnswer(_ user: Int64, lastKnown: inout UserResults.KnownAnswer) -> [UInt8] {
        // Not the last revision: a change has one from when it is made, and is shown when it is durable.
        let now = shownChanges
        if lastKnown.user != user || lastKnown.asOf != now {
            let tail = JSONWriter.resultHead + userResults.result(user, core) + Array("}\n".utf8)
            lastKnown = UserResults.KnownAnswer(user: user, asOf: now, tail: tail)
        }
        return lastKnown.tail
    }
}
