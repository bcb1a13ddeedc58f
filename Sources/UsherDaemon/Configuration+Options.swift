// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherOptions
import UsherUpstream
import UsherWire

extension Configuration {
    /// All that can be configured, in the order in which help and `--print-config` list it.
    static var settings: [Setting] {
        places + userSettings + movieSettings + [
            Setting(
                "control-group", "GROUP", "Members may change what belongs to all.", \.controlGroup),
            Setting(
                "admin-group", "GROUP", "Members may also reload and stop the daemon.", \.adminGroup
            ),
            Setting(
                "limit", "NAME=VALUE", "Sets a limit; may be given more than once.",
                values: { configuration in
                    Limits.settable.map { "\($0.name)=\(configuration.limits[keyPath: $0.path])" }
                }, isRepeatable: true
            ) { (configuration, text) throws(UsageError) in try configuration.limits.set(text) },
            Setting(
                "upstream-limit", "NAME=VALUE",
                "Sets a limit of requests to services; may be given more than once.",
                values: { $0.upstreamLimits.settings }, isRepeatable: true
            ) { (configuration, text) throws(UsageError) in
                try configuration.upstreamLimits.set(text)
            },
            Setting(
                "busy-poll", "MICROSECONDS",
                "How long to look for the next request before sleeping, while that pays (200).",
                values: { ["\($0.busyPollMicroseconds)"] }
            ) { (configuration, text) throws(UsageError) in
                configuration.busyPollMicroseconds = UInt64(
                    try number(
                        text, 0...Int64(mostBusyPollMicroseconds), option: "busy-poll"))
            },
        ]
    }

    private static var places: [Setting] {
        [
            Setting("socket", "PATH", "The socket to serve on.", \.socketPath),
            Setting(
                "socket-mode", "MODE", "Who may connect, in octal (0666).",
                values: { ["0" + String($0.socketMode, radix: 8)] }
            ) { (configuration, text) throws(UsageError) in
                guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
                    throw UsageError("--socket-mode is an octal mode such as 0660, not \(text)")
                }
                configuration.socketMode = mode
            },
            Setting("socket-group", "GROUP", "The socket's group.", \.socketGroup),
            Setting(
                "store", "PLACE", "sqlite:PATH or memory.", values: { [$0.store.description] }
            ) { (configuration, text) throws(UsageError) in
                configuration.store = try Store(text)
            },
        ]
    }

    private static var userSettings: [Setting] {
        [
            Setting(
                "users", "SOURCE", "nss (default), http:URL or demo.",
                values: { [$0.users.description] }
            ) { (configuration, text) throws(UsageError) in
                configuration.users = try Users(text)
            },
            Setting(
                "own-user", "ID", "The user of all peers; with http (1) and demo (0).",
                values: { $0.ownUser.map { [String($0)] } ?? [] }
            ) { (configuration, text) throws(UsageError) in
                configuration.ownUser = try number(
                    text, 0...Int64(UInt32.max) - 1, option: "own-user")
            },
            Setting(
                "demo-delay", "SECONDS", "How long the demo takes to answer (2).",
                values: { ["\($0.demoDelaySeconds)"] }
            ) { (configuration, text) throws(UsageError) in
                configuration.demoDelaySeconds = try fraction(
                    text, 0...3_600, option: "demo-delay")
            },
            Setting(
                "demo-failure-rate", "RATE", "How often the demo fails, 0 to 1 (0.5).",
                values: { ["\($0.demoFailureRate)"] }
            ) { (configuration, text) throws(UsageError) in
                configuration.demoFailureRate = try fraction(
                    text, 0...1, option: "demo-failure-rate")
            },
            Setting(
                "demo-seed", "N", "Makes the demo's failures repeatable.",
                values: { $0.demoSeed.map { [String($0)] } ?? [] }
            ) { (configuration, text) throws(UsageError) in
                configuration.demoSeed = UInt64(
                    try number(text, 0...Int64.max, option: "demo-seed"))
            },
        ]
    }

    private static var movieSettings: [Setting] {
        [
            Setting(
                "movies", "SOURCE", "sample (default), file:PATH or tmdb[:URL].",
                values: { [$0.movies.description] }
            ) { (configuration, text) throws(UsageError) in
                configuration.movies = try Movies(text)
            },
            Setting("tmdb-key-file", "PATH", "Where the TMDB key is.", \.tmdbKeyFile),
            Setting("ca-file", "PATH", "Certificates to trust, in PEM.", \.certificateFile),
            Setting(
                "proxy", "ADDRESS", "environment (default), none or http://HOST:PORT.",
                values: { [$0.proxy.description] }
            ) { (configuration, text) throws(UsageError) in
                do throws(UpstreamError) {
                    configuration.proxy = try ProxyChoice(text)
                } catch {
                    throw UsageError("--proxy: \(error.message)")
                }
            },
            Setting(
                "ip-version", "VERSION", "any (default), 4 or 6.",
                values: { [$0.ipVersion.rawValue] }
            ) { (configuration, text) throws(UsageError) in
                guard let version = HTTPIdentity.IPVersion(rawValue: text) else {
                    throw UsageError("--ip-version is any, 4 or 6, not \(text)")
                }
                configuration.ipVersion = version
            },
        ]
    }

    /// The configuration as a file that would give it.
    package var asFile: String {
        Self.settings.map { setting in
            let name = setting.option.name
            let values = setting.values(self)
            let lines = values.isEmpty ? ["#\(name) ="] : values.map { "\(name) = \($0)" }
            return "# \(setting.option.summary)\n" + lines.joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }
}

extension Configuration.Users: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nss: "nss"
        case .http(let address): "http:" + address
        case .demo: "demo"
        }
    }
}

extension Configuration.Movies: CustomStringConvertible {
    package var description: String {
        switch self {
        case .sample: "sample"
        case .file(let path): "file:" + path
        case .tmdb(let address): address.map { "tmdb:" + $0 } ?? "tmdb"
        }
    }
}

extension Configuration.Store: CustomStringConvertible {
    package var description: String {
        switch self {
        case .memory: "memory"
        case .sqlite(let path): "sqlite:" + path
        }
    }
}

extension Configuration.Users {
    init(_ text: String) throws(UsageError) {
        switch text.split(separator: ":", maxSplits: 1).map(String.init) {
        case ["nss"]: self = .nss
        case ["demo"]: self = .demo
        case let words where words.count == 2 && words[0] == "http": self = .http(words[1])
        default: throw UsageError("--users is nss, http:URL or demo, not \(text)")
        }
    }
}

extension Configuration.Movies {
    init(_ text: String) throws(UsageError) {
        switch text.split(separator: ":", maxSplits: 1).map(String.init) {
        case ["sample"]: self = .sample
        case ["tmdb"]: self = .tmdb(nil)
        case let words where words.count == 2 && words[0] == "file": self = .file(words[1])
        case let words where words.count == 2 && words[0] == "tmdb": self = .tmdb(words[1])
        default: throw UsageError("--movies is sample, file:PATH or tmdb[:URL], not \(text)")
        }
    }
}

extension Configuration.Store {
    init(_ text: String) throws(UsageError) {
        switch text.split(separator: ":", maxSplits: 1).map(String.init) {
        case ["memory"]: self = .memory
        case let words where words.count == 2 && words[0] == "sqlite": self = .sqlite(words[1])
        default: throw UsageError("--store is sqlite:PATH or memory, not \(text)")
        }
    }
}

extension Limits {
    /// The limits that can be set, by the names that `hello` and `--limit` use.
    static let settable: [(name: String, path: any (WritableKeyPath<Limits, Int> & Sendable))] = [
        ("clients", \.clients),
        ("clients_per_uid", \.clientsPerUID),
        ("subscriptions", \.subscriptions),
        ("deferred_requests", \.deferredRequests),
        ("unsent_bytes", \.unsentBytes),
        ("stall_ms", \.stallMilliseconds),
        ("stall_when_full_ms", \.stallWhenFullMilliseconds),
        ("partial_line_ms", \.partialLineMilliseconds),
        ("shutdown_grace_ms", \.shutdownGraceMilliseconds),
    ]

    fileprivate mutating func set(_ text: String) throws(UsageError) {
        let words = text.split(separator: "=", maxSplits: 1)
        guard words.count == 2, let limit = Self.settable.first(where: { $0.name == words[0] })
        else {
            let names = Self.settable.map(\.name).joined(separator: ", ")
            throw UsageError("--limit is NAME=VALUE with a name of \(names), not \(text)")
        }
        self[keyPath: limit.path] = Int(
            try number(String(words[1]), 1...1_000_000_000, option: "limit \(limit.name)"))
    }
}

func number(
    _ text: String, _ range: ClosedRange<Int64>, option: String
) throws(UsageError) -> Int64 {
    guard let value = Int64(text), range.contains(value) else {
        throw UsageError(
            "--\(option) is a whole number from \(range.lowerBound) to \(range.upperBound), "
                + "not \(text)")
    }
    return value
}

private func fraction(
    _ text: String, _ range: ClosedRange<Double>, option: String
) throws(UsageError) -> Double {
    guard let value = Double(text), range.contains(value) else {
        throw UsageError(
            "--\(option) is a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
    }
    return value
}
