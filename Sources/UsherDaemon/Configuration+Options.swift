// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherOptions
import UsherWire

extension Configuration {
    /// What a command line asks for.
    package enum Request: Sendable, Hashable {
        case serve(Configuration)
        case help
        case version
    }

    /// Reads a command line, which begins with the program's name.
    package static func read(
        _ arguments: [String], environment: [String: String], uid: UInt32
    ) throws(UsageError) -> Request {
        var settings = Settings(
            configuration: Configuration(environment: environment, uid: uid))
        let operands = try options.parse(arguments, into: &settings)
        if let request = settings.request { return request }
        if let operand = operands.first {
            throw UsageError("\(operand) is no option; usherd takes options only, see --help")
        }
        return .serve(settings.configuration)
    }

    /// The text of `--help`.
    package static var help: String {
        """
        usherd: the user and the movie lists of this machine, served on a Unix socket.

        Usage: usherd [OPTION]...

        \(options.help)

        Limits: \(Limits.settable.map(\.name).joined(separator: ", ")).
        """
    }

    private struct Settings {
        var configuration: Configuration
        var request: Request?
    }

    private static var options: OptionTable<Settings> {
        OptionTable([
            Option("socket", "PATH", "The socket to serve on.") { (settings, path) in
                settings.configuration.socketPath = path
            },
            Option("socket-mode", "MODE", "Who may connect, in octal (0666).") {
                (settings, text) throws(UsageError) in
                guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
                    throw UsageError("--socket-mode is an octal mode such as 0660, not \(text)")
                }
                settings.configuration.socketMode = mode
            },
            Option("socket-group", "GROUP", "The socket's group.") { (settings, group) in
                settings.configuration.socketGroup = group
            },
            Option("users", "SOURCE", "nss (default), http:URL or demo.") {
                (settings, text) throws(UsageError) in
                settings.configuration.users = try Users(text)
            },
            Option("own-user", "ID", "The user of all peers; with http (1) and demo (0).") {
                (settings, text) throws(UsageError) in
                let id = try number(text, 0...Int64(UInt32.max) - 1, option: "own-user")
                settings.configuration.ownUser = id
            },
            Option("demo-delay", "SECONDS", "How long the demo takes to answer (2).") {
                (settings, text) throws(UsageError) in
                settings.configuration.demoDelaySeconds = try fraction(
                    text, 0...3_600, option: "demo-delay")
            },
            Option("demo-failure-rate", "RATE", "How often the demo fails, 0 to 1 (0.5).") {
                (settings, text) throws(UsageError) in
                settings.configuration.demoFailureRate = try fraction(
                    text, 0...1, option: "demo-failure-rate")
            },
            Option("demo-seed", "N", "Makes the demo's failures repeatable.") {
                (settings, text) throws(UsageError) in
                let seed = try number(text, 0...Int64.max, option: "demo-seed")
                settings.configuration.demoSeed = UInt64(seed)
            },
            Option("movies", "SOURCE", "sample (default), file:PATH or tmdb[:URL].") {
                (settings, text) throws(UsageError) in
                settings.configuration.movies = try Movies(text)
            },
            Option("tmdb-key-file", "PATH", "Where the TMDB key is.") { (settings, path) in
                settings.configuration.tmdbKeyFile = path
            },
            Option("ca-file", "PATH", "Certificates to trust, in PEM.") { (settings, path) in
                settings.configuration.certificateFile = path
            },
            Option("store", "PLACE", "sqlite:PATH or memory.") {
                (settings, text) throws(UsageError) in
                settings.configuration.store = try Store(text)
            },
            Option("control-group", "GROUP", "Members may change what belongs to all.") {
                (settings, group) in settings.configuration.controlGroup = group
            },
            Option("admin-group", "GROUP", "Members may also reload and stop the daemon.") {
                (settings, group) in settings.configuration.adminGroup = group
            },
            Option("limit", "NAME=VALUE", "Sets a limit; may be given more than once.") {
                (settings, text) throws(UsageError) in
                try settings.configuration.limits.set(text)
            },
            Option("version", "Prints the version.") { $0.request = .version },
            Option("help", short: "h", "Prints this help.") { $0.request = .help },
        ])
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

private func number(
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
