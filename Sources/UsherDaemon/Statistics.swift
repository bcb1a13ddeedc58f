// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherWire

/// What the daemon did since it started.
struct Statistics {
    /// Connections that got a place.
    var accepted = 0
    /// Connections that got no place, and a line that says why.
    var refused = 0
    /// Connections that broke.
    var lost = 0
    /// Subscriptions that there are now.
    var subscriptions = 0
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
    mutating func counters(
        _ before: String, _ members: [(name: String, count: Int)], _ after: String = ""
    ) {
        raw(before)
        for (index, member) in members.enumerated() {
            if index > 0 { raw(",") }
            string(member.name)
            raw(":")
            integer(member.count)
        }
        raw(after)
    }
}
