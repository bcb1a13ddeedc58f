// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Everything that `stats` tells, with what it means: the answer and its schema in `rpc.discover` are both made from
// this table, so that no counter goes without a word.

import UsherCore
import UsherEventLoop
import UsherStore
import UsherUpstream
import UsherWire

/// A member of the answer to `stats`.
struct StatisticsMember: Sendable {
    let name: String
    let meaning: String
    let value: Value

    enum Value: Sendable {
        case count(@Sendable (Daemon) -> Int)
        case flag(@Sendable (Daemon) -> Bool)
        /// One of some words.
        case word([String], @Sendable (Daemon) -> String)
        /// A count for each of some names.
        case counts(@Sendable (Daemon) -> [(name: String, count: Int)])
        case members([StatisticsMember])
    }

    private init(_ name: String, _ meaning: String, _ value: Value) {
        self.name = name
        self.meaning = meaning
        self.value = value
    }

    private static func count(
        _ name: String, _ meaning: String, _ value: @escaping @Sendable (Daemon) -> Int
    ) -> StatisticsMember {
        StatisticsMember(name, meaning, .count(value))
    }

    private static func counts(
        _ name: String, _ meaning: String,
        _ value: @escaping @Sendable (Daemon) -> [(name: String, count: Int)]
    ) -> StatisticsMember {
        StatisticsMember(name, meaning, .counts(value))
    }

    private static func group(
        _ name: String, _ meaning: String, _ members: StatisticsMember...
    ) -> StatisticsMember {
        StatisticsMember(name, meaning, .members(members))
    }

    static let all: [StatisticsMember] = [
        count("uptime_ms", "Milliseconds since the daemon's start.") {
            Int($0.loop.now - $0.startedAt)
        },
        count(
            "loop_lag_ms",
            "The longest that something had to wait for the event loop since stats was last asked."
        ) { Int($0.loop.takeLongestTurn()) },
        clients, evictions, requests, pushes, store,
        service("users") { $0.upstreams.users.counters },
        service(
            "movies",
            count(
                "duplicate_rows",
                "Films left out because the list had them already, since the daemon's start."
            ) { $0.core.duplicateMovies }
        ) { $0.upstreams.movies.counters },
    ]

    private static let clients = group(
        "clients", "Connections, since the start where nothing else is said.",
        count("connected", "Now connected.") { $0.sessions.count },
        count("subscriptions", "Subscriptions they have now.") { $0.statistics.subscriptions },
        count("accepted", "Connections that got a place.") { $0.statistics.accepted },
        count("refused", "Connections that were told why they get no place.") {
            $0.statistics.refused
        },
        count("refused_without_descriptor", "Connections closed for lack of a descriptor.") {
            $0.listeners.reduce(0) { $0 + $1.refusals }
        },
        count("lost", "Connections that broke, most often because the client ended.") {
            $0.statistics.lost
        })

    private static let evictions = counts(
        "evictions", "Connections of peers that did not do their part, by reason."
    ) { daemon in
        Eviction.Reason.allCases.map { ($0.rawValue, daemon.evictions.counts[$0] ?? 0) }
    }

    private static let requests = group(
        "requests", "Requests since the start.",
        count("started", "Requests read, notifications included.") { $0.statistics.requests },
        counts("errors", "Errors answered, by reason.") { daemon in
            ErrorReason.allCases.compactMap { reason in
                daemon.statistics.errors[reason].map { (reason.rawValue, $0) }
            }
        })

    private static let pushes = group(
        "pushes", "Pushes since the start.",
        count("sent", "Pushes written.") { $0.statistics.pushes },
        count("skipped", "Transitions that pushes left out.") { $0.statistics.skipped },
        count("resumes", "Subscriptions that went on from a cursor.") { $0.statistics.resumes })

    private static let store = group(
        "store", "The store since the start.",
        count("commits", "Changes stored.") { $0.store.status.commits },
        count("transactions", "Transactions that stored them.") { $0.store.status.transactions },
        count("largest_group", "The most changes that one transaction stored.") {
            $0.store.status.largestGroup
        },
        count("failures", "Changes refused, or failed to be stored.") { $0.store.status.failures },
        count("probes", "Attempts to write again while degraded.") { $0.store.status.probes },
        StatisticsMember(
            "degraded", "Whether changes are refused until an attempt to write succeeds.",
            .flag { $0.store.status.isDegraded }))

    private static func service(
        _ name: String, _ more: StatisticsMember...,
        counters: @escaping @Sendable (Daemon) -> UpstreamCounters
    ) -> StatisticsMember {
        let members = [
            Self.counts("responses", "Answers by HTTP status; 0 counts requests without one.") {
                counters($0).requests.sorted { $0.key < $1.key }
                    .map { (String($0.key), $0.value) }
            },
            count("retries", "Further tries of a request.") { counters($0).retries },
            count("delayed", "Tries that waited for their turn.") { counters($0).delayed },
            count("crowded_out", "Requests given up since their turn would have come too late.") {
                counters($0).crowdedOut
            },
            count("expired", "Requests given up at their deadline.") { counters($0).expired },
            count("unchanged", "Answers used again since the service said that they still hold.") {
                counters($0).unchanged
            },
            count("remembered", "Requests not sent since there was no such thing a moment ago.") {
                counters($0).remembered
            },
            circuit { counters($0).circuit },
            count("body_bytes", "Bytes of answers, decompressed.") { counters($0).bodyBytes },
            count("dropped_rows", "Rows of movie pages that made no sense.") {
                counters($0).droppedRows
            },
            count("repaired_fields", "Members left out, or taken though they are odd.") {
                counters($0).repairedFields
            },
            count("repaired_records", "User records whose text was not valid UTF-8.") {
                counters($0).repairedRecords
            },
        ]
        return StatisticsMember(
            name, "The service of \(name) since the start or the last reload.",
            .members(members + more))
    }

    private static func circuit(
        _ counters: @escaping @Sendable (Daemon) -> CircuitBreaker.Counters
    ) -> StatisticsMember {
        group(
            "circuit", "Whether the service is left alone because it keeps failing.",
            StatisticsMember(
                "state",
                "closed: it is asked. open: it is not. half_open: one request tries whether it "
                    + "answers.",
                .word(CircuitBreaker.State.allCases.map(\.rawValue)) {
                    counters($0).state.rawValue
                }),
            count("failures_in_a_row", "Tries that failed since the last answer.") {
                counters($0).failuresInARow
            },
            count("opened", "How often it was left alone.") { counters($0).opened },
            count("probes", "Requests that tried whether it answers again.") {
                counters($0).probes
            },
            count("refused", "Requests that were not sent.") { counters($0).refused })
    }
}

extension JSONWriter {
    /// Appends an object of the members' values as they are now.
    mutating func statistics(_ members: [StatisticsMember], of daemon: Daemon) {
        raw("{")
        for (index, member) in members.enumerated() {
            if index > 0 { raw(",") }
            string(member.name)
            raw(":")
            switch member.value {
            case .count(let value): integer(value(daemon))
            case .flag(let value): boolean(value(daemon))
            case .word(_, let value): string(value(daemon))
            case .counts(let value): counters("{", value(daemon), "}")
            case .members(let members): statistics(members, of: daemon)
            }
        }
        raw("}")
    }

    /// Appends the JSON Schema of such an object.
    mutating func statisticsSchema(_ members: [StatisticsMember], meaning: String? = nil) {
        raw("{\"type\":\"object\",")
        if let meaning { description(meaning) }
        raw("\"required\":[")
        for (index, member) in members.enumerated() {
            if index > 0 { raw(",") }
            string(member.name)
        }
        raw("],\"properties\":{")
        for (index, member) in members.enumerated() {
            if index > 0 { raw(",") }
            string(member.name)
            raw(":")
            schema(member)
        }
        raw("}}")
    }

    private mutating func schema(_ member: StatisticsMember) {
        let rest: String
        switch member.value {
        case .members(let members):
            statisticsSchema(members, meaning: member.meaning)
            return
        case .count: rest = "\"type\":\"integer\",\"minimum\":0}"
        case .flag: rest = "\"type\":\"boolean\"}"
        case .word(let words, _):
            let list = words.map { "\"\($0)\"" }.joined(separator: ",")
            rest = "\"type\":\"string\",\"enum\":[\(list)]}"
        case .counts:
            rest = "\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}"
        }
        raw("{")
        description(member.meaning)
        raw(rest)
    }

    private mutating func description(_ meaning: String) {
        raw("\"description\":")
        string(meaning)
        raw(",")
    }
}
