// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherStore
import UsherUpstream
import UsherWire

/// What the daemon did since it started.
struct Statistics {
    /// Connections accepted.
    var accepted = 0
    /// Requests started, notifications included.
    var requests = 0
    /// Pushes written.
    var pushes = 0
    /// Transitions that pushes left out.
    var skipped = 0
    /// Subscriptions that went on from a cursor.
    var resumes = 0
    /// Errors answered, by reason.
    private(set) var errors: [ErrorReason: Int] = [:]

    mutating func count(_ reason: ErrorReason) {
        errors[reason, default: 0] += 1
    }
}

extension Daemon {
    func writeStatistics(to writer: inout JSONWriter) {
        let subscriptions = sessions.values.reduce(0) { $0 + $1.subscriptions.count }
        writer.counters("{", [("uptime_ms", Int(loop.now - startedAt))])
        writer.counters(
            ",\"clients\":{",
            [
                ("connected", sessions.count), ("accepted", statistics.accepted),
                ("refused_without_descriptor", listeners.reduce(0) { $0 + $1.refusals }),
                ("subscriptions", subscriptions),
            ], "}")
        writer.counters(",\"requests\":{", [("started", statistics.requests)])
        let errors = ErrorReason.allCases.compactMap { reason in
            statistics.errors[reason].map { (reason.rawValue, $0) }
        }
        writer.counters(",\"errors\":{", errors, "}}")
        writer.counters(
            ",\"pushes\":{",
            [
                ("sent", statistics.pushes), ("skipped", statistics.skipped),
                ("resumes", statistics.resumes),
            ], "}")
        writeStoreStatistics(to: &writer)
        writeUpstreamStatistics(to: &writer)
        writer.raw("}")
    }

    private func writeStoreStatistics(to writer: inout JSONWriter) {
        let status = store.status
        writer.counters(
            ",\"store\":{",
            [
                ("commits", status.commits), ("transactions", status.transactions),
                ("largest_group", status.largestGroup), ("failures", status.failures),
            ])
        writer.raw(",\"degraded\":")
        writer.boolean(status.isDegraded)
        writer.raw("}")
    }

    private func writeUpstreamStatistics(to writer: inout JSONWriter) {
        let services = [
            ("users", upstreams.users.counters), ("movies", upstreams.movies.counters),
        ]
        for (name, counters) in services {
            let requests = counters.requests.sorted { $0.key < $1.key }
            writer.raw(",\"\(name)\":{")
            writer.counters("\"responses\":{", requests.map { (String($0.key), $0.value) }, "}")
            writer.counters(
                ",",
                [
                    ("retries", counters.retries), ("body_bytes", counters.bodyBytes),
                    ("dropped_rows", counters.droppedRows),
                    ("repaired_records", counters.repairedRecords),
                ], "}")
        }
    }

    /// The clients from a position on, as many as a line holds.
    func writeClients(from offset: Int, to writer: inout JSONWriter) {
        let all = sessions.values.sorted { $0.id.value < $1.id.value }
        writer.raw("{\"items\":[")
        var next = min(offset, all.count)
        while next < all.count, writer.bytes.count < Limits.lineBytes - Self.clientEntryBytes {
            if next > offset { writer.raw(",") }
            writeClient(all[next], to: &writer)
            next += 1
        }
        writer.counters("],", [("offset", offset), ("total", all.count)])
        writer.raw(",\"next\":")
        writer.raw(next < all.count ? String(next) : "null")
        writer.raw("}")
    }

    /// The most that one client takes: 64 topics of names at their longest.
    private static let clientEntryBytes = 16_384

    private func writeClient(_ session: Session, to writer: inout JSONWriter) {
        writer.counters(
            "{",
            [
                ("pid", Int(session.credentials.pid)), ("uid", Int(session.credentials.uid)),
                ("unsent_bytes", session.connection.unsentBytes),
                ("in_flight", session.inFlight.count),
            ])
        writer.raw(",\"role\":")
        writer.string(session.peer.role.rawValue)
        writer.raw(",\"name\":")
        writer.optionalString(session.client.clientName)
        writer.raw(",\"topics\":[")
        for (index, subscription) in session.subscriptions.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.string(subscription.topic.description)
        }
        writer.raw("]")
        let behind = session.subscriptions.count { core.isBehind($0) }
        writer.counters(",", [("behind", behind)], "}")
    }
}

extension JSONWriter {
    /// Appends integer members, with what stands before and after them.
    fileprivate mutating func counters(
        _ before: String, _ members: [(String, Int)], _ after: String = ""
    ) {
        raw(before)
        for (index, member) in members.enumerated() {
            if index > 0 { raw(",") }
            string(member.0)
            raw(":")
            integer(member.1)
        }
        raw(after)
    }
}
