// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherOptions
package import UsherUpstream

/// The limits of requests to the two services, each of which has its own.
package struct UpstreamLimits: Sendable, Hashable {
    package var users = HTTPLimits()
    package var movies = HTTPLimits()

    typealias Limit = (
        name: String, path: any (WritableKeyPath<HTTPLimits, Int> & Sendable),
        range: ClosedRange<Int64>, meaning: String
    )

    /// Milliseconds that any of them may be: an hour.
    private static let milliseconds: ClosedRange<Int64> = 1...3_600_000

    /// The limits that can be set, by name.
    static let settable: [Limit] = [
        (
            "deadline_ms", \.deadlineMilliseconds, milliseconds,
            "Milliseconds for a request as a whole: its turn, its tries and the waits between."
        ),
        (
            "try_ms", \.tryMilliseconds, milliseconds,
            "Milliseconds for one try, to the answer's last byte."
        ),
        (
            "connect_ms", \.connectMilliseconds, milliseconds,
            "Milliseconds until a connection is made, name look-up and TLS included."
        ),
        (
            "retries", \.retry.retries, 0...10,
            "Tries after the first, for network failures, 429 and 5xx."
        ),
        (
            "retry_after_ms", \.retryAfterMilliseconds, milliseconds,
            "The longest that a service may ask to be left alone."
        ),
        ("body_bytes", \.bodyBytes, 1_024...(64 << 20), "Bytes of an answer's body."),
        ("connections", \.connections, 1...256, "Connections at a time."),
        ("rate", \.rate, 1...10_000, "Tries a second in the long run."),
        ("burst", \.burst, 1...10_000, "Tries that may be made at once after a time without any."),
        (
            "circuit_failures", \.circuit.failures, 1...1_000,
            "Tries in a row that fail until the service is left alone."
        ),
        (
            "circuit_open_ms", \.circuit.openMilliseconds, milliseconds,
            "Milliseconds that it is left alone at first; twice as long after each probe that fails."
        ),
        (
            "circuit_longest_ms", \.circuit.longestOpenMilliseconds, milliseconds,
            "The longest that it is left alone, unless it asked for more."
        ),
        (
            "missing_ms", \.missingMilliseconds, milliseconds,
            "Milliseconds for which a service is not asked again for what it does not have."
        ),
        (
            "kept_bytes", \.keptBytes, 1_024...(256 << 20),
            "Bytes of answers kept, to be used again if the service says that they still hold."
        ),
    ]

    /// `NAME=VALUE` of each limit, and `SERVICE.NAME=VALUE` where the services differ.
    var settings: [String] {
        Self.settable.flatMap { limit in
            let (own, other) = (users[keyPath: limit.path], movies[keyPath: limit.path])
            return own == other
                ? ["\(limit.name)=\(own)"]
                : ["users.\(limit.name)=\(own)", "movies.\(limit.name)=\(other)"]
        }
    }

    /// Takes `NAME=VALUE` for both services, `users.NAME=VALUE` or `movies.NAME=VALUE` for one.
    mutating func set(_ text: String) throws(UsageError) {
        let words = text.split(separator: "=", maxSplits: 1).map(String.init)
        let parts = (words.first ?? "").split(separator: ".", maxSplits: 1).map(String.init)
        let services: [WritableKeyPath<Self, HTTPLimits>]? =
            switch parts.count == 2 ? parts[0] : "" {
            case "": [\.users, \.movies]
            case "users": [\.users]
            case "movies": [\.movies]
            default: nil
            }
        guard words.count == 2, let services,
            let limit = Self.settable.first(where: { $0.name == parts.last })
        else {
            let names = Self.settable.map(\.name).joined(separator: ", ")
            throw UsageError(
                "--upstream-limit is NAME=VALUE, users.NAME=VALUE or movies.NAME=VALUE "
                    + "with a name of \(names), not \(text)")
        }
        let value = Int(try number(words[1], limit.range, option: "upstream-limit \(limit.name)"))
        for service in services { self[keyPath: service][keyPath: limit.path] = value }
    }
}
