// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The daemon's counters as metrics. Names, units and types follow Prometheus' rules: base units, `_total` behind what
// only grows, a label for what a counter is parted by. No label ever holds a user, a title or a path.

internal import Foundation
internal import UsherClient

/// A family of metrics, and where its values are in the answer to `stats`.
struct Metric {
    enum Kind: String { case counter, gauge }

    /// One value, or one for each member of an object, told apart by a label.
    struct Source {
        let path: [String]
        var labels: [(name: String, value: String)] = []
        var spread: String?
        /// The words that the value is one of: there is a sample for each, 1 for the one that holds.
        var states: [String] = []
    }

    let name: String
    let kind: Kind
    let help: String
    let sources: [Source]
    /// What a value is multiplied by to be in the unit that the name tells.
    var scale = 1.0

    static let all: [Metric] = [
        gauge("uptime_seconds", "Time since the daemon's start.", ["uptime_ms"], scale: 0.001),
        gauge(
            "loop_lag_seconds",
            "The longest wait for the event loop since counters were last asked.",
            ["loop_lag_ms"], scale: 0.001),
        gauge("clients", "Connected clients.", ["clients", "connected"]),
        gauge(
            "subscriptions", "Subscriptions of connected clients.", ["clients", "subscriptions"]),
        counter("clients_accepted", "Connections that got a place.", ["clients", "accepted"]),
        counter("clients_refused", "Connections that got no place.", ["clients", "refused"]),
        counter(
            "clients_refused_without_descriptor", "Connections closed for lack of a descriptor.",
            ["clients", "refused_without_descriptor"]),
        counter("clients_lost", "Connections that broke.", ["clients", "lost"]),
        counter(
            "evictions", "Connections of peers that did not do their part.", ["evictions"],
            spread: "reason"),
        counter("requests", "Requests read, notifications included.", ["requests", "started"]),
        counter("errors", "Errors answered.", ["requests", "errors"], spread: "reason"),
        counter("pushes", "Pushes written.", ["pushes", "sent"]),
        counter(
            "skipped_transitions", "Transitions that pushes left out.", ["pushes", "skipped"]),
        counter("resumes", "Subscriptions that went on from a cursor.", ["pushes", "resumes"]),
        counter("store_commits", "Changes stored.", ["store", "commits"]),
        counter("store_transactions", "Transactions that stored them.", ["store", "transactions"]),
        counter("store_failures", "Changes that were not stored.", ["store", "failures"]),
        counter("store_probes", "Attempts to write again while degraded.", ["store", "probes"]),
        gauge("store_degraded", "Whether the store cannot be written.", ["store", "degraded"]),
        service("responses", "Answers by HTTP status; 0: none came.", spread: "code"),
        service("retries", "Further tries of requests."),
        service("delayed", "Tries that waited for their turn."),
        service("crowded_out", "Requests given up since their turn would have come too late."),
        service("expired", "Requests given up at their deadline."),
        service("unchanged", "Answers used again since the service said that they still hold."),
        service("remembered", "Requests not sent since there was no such thing a moment ago."),
        circuitState,
        service("circuit_opened", "How often a service was left alone.", ["circuit", "opened"]),
        service(
            "circuit_probes", "Requests that tried whether a service answers again.",
            ["circuit", "probes"]),
        service(
            "circuit_refused", "Requests not sent while a service was left alone.",
            ["circuit", "refused"]),
        service("body_bytes", "Bytes of answers, decompressed."),
        service("dropped_rows", "Rows of movie pages that made no sense."),
        service("duplicate_rows", "Films that the list had already."),
        service("repaired_fields", "Members left out, or taken though they are odd."),
        service("repaired_records", "User records with text that was repaired."),
    ]

    private static func gauge(
        _ name: String, _ help: String, _ path: [String], scale: Double = 1
    ) -> Metric {
        Metric(
            name: "usherd_" + name, kind: .gauge, help: help, sources: [Source(path: path)],
            scale: scale)
    }

    private static func counter(
        _ name: String, _ help: String, _ path: [String], spread: String? = nil
    ) -> Metric {
        Metric(
            name: "usherd_\(name)_total", kind: .counter, help: help,
            sources: [Source(path: path, spread: spread)])
    }

    /// A counter that both services have, under its own name if no path is given.
    private static func service(
        _ name: String, _ help: String, _ path: [String] = [], spread: String? = nil
    ) -> Metric {
        Metric(
            name: "usherd_upstream_\(name)_total", kind: .counter, help: help,
            sources: ["users", "movies"].map { service in
                Source(
                    path: [service] + (path.isEmpty ? [name] : path),
                    labels: [("service", service)], spread: spread)
            })
    }

    private static let circuitState = Metric(
        name: "usherd_upstream_circuit_state", kind: .gauge,
        help: "Whether a service is asked (closed), left alone (open) or tried (half_open).",
        sources: ["users", "movies"].map { service in
            Source(
                path: [service, "circuit", "state"], labels: [("service", service)],
                states: ["closed", "open", "half_open"])
        })
}

extension Metric {
    /// The lines of the family; none if the daemon does not have it.
    func lines(from statistics: JSONValue) -> [String] {
        let samples = sources.flatMap { source -> [String] in
            guard let value = statistics.value(at: source.path) else { return [] }
            if !source.states.isEmpty {
                return source.states.map { state in
                    Self.sample(
                        name, source.labels + [("state", state)], value.word == state ? "1" : "0")
                }
            }
            guard let spread = source.spread else {
                return sample(value, labels: source.labels).map { [$0] } ?? []
            }
            return value.members.compactMap { name, value in
                sample(value, labels: source.labels + [(spread, name)])
            }
        }
        guard !samples.isEmpty else { return [] }
        return ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"] + samples
    }

    private func sample(_ value: JSONValue, labels: [(name: String, value: String)]) -> String? {
        guard let number = value.number else { return nil }
        let text = scale == 1 ? "\(Int64(number))" : "\(number * scale)"
        return Self.sample(name, labels, text)
    }

    /// A line; a label's value is quoted as the format demands.
    static func sample(
        _ name: String, _ labels: [(name: String, value: String)], _ value: String
    ) -> String {
        guard !labels.isEmpty else { return "\(name) \(value)" }
        let list = labels.map { label in
            let value = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\n", with: "\\n")
            return "\(label.name)=\"\(value)\""
        }
        return "\(name){\(list.joined(separator: ","))} \(value)"
    }
}

extension Report {
    static func metrics(
        of client: UsherClient, daemon: Daemon
    ) async throws(ClientError) -> Report {
        metrics(try await client.stats(), version: daemon.version)
    }

    /// The counters in the text format of Prometheus, version 0.0.4.
    package static func metrics(_ json: String, version: String) -> Report {
        let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
        let build = [
            "# HELP usherd_build_info The daemon's version.", "# TYPE usherd_build_info gauge",
            Metric.sample("usherd_build_info", [("version", version)], "1"),
        ]
        let lines = value.map { value in Metric.all.flatMap { $0.lines(from: value) } } ?? []
        return Report(text: build + lines, json: json)
    }
}

extension JSONValue {
    /// What is behind some names; nil if there is nothing.
    fileprivate func value(at path: [String]) -> JSONValue? {
        path.reduce(Optional(self)) { value, name in
            guard case .object(let members)? = value else { return nil }
            return members[name]
        }
    }

    fileprivate var members: [(String, JSONValue)] {
        guard case .object(let members) = self else { return [] }
        return members.sorted { $0.key < $1.key }
    }

    /// A text.
    fileprivate var word: String? {
        guard case .scalar(let text) = self else { return nil }
        return text
    }

    /// A number, or a flag as 0 and 1.
    fileprivate var number: Double? {
        guard case .scalar(let text) = self else { return nil }
        switch text {
        case "true": return 1
        case "false": return 0
        default: return Double(text)
        }
    }
}
