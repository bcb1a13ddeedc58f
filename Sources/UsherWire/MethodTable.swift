// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// All methods, in the order in which help and discovery list them.
package enum MethodTable {
    package static let entries: [MethodEntry] = session + users + movies + subscriptions + engine

    /// The row of a method.
    package static func entry(for method: Method) -> MethodEntry {
        guard let entry = byName[method.rawValue] else {
            preconditionFailure("the method table has no row for \(method.rawValue)")
        }
        return entry
    }

    /// The row of a method by its name, as peers write it.
    package static func entry(named name: String) -> MethodEntry? {
        // A dictionary has to read all of a name, and what a peer sends may be a thousand times as long.
        guard name.utf8.count < byLength.count else { return nil }
        return byName[name]
    }

    /// The same by its bytes, which costs no text: every JSON request comes through here.
    package static func entry(named name: Span<UInt8>) -> MethodEntry? {
        guard name.count < byLength.count else { return nil }
        for row in byLength[name.count] where name.indices.allSatisfy({ row.name[$0] == name[$0] })
        {
            return row.entry
        }
        return nil
    }

    /// The rows by the length of their names; at most a few share one.
    private static let byLength: [[(name: [UInt8], entry: MethodEntry)]] = {
        let rows = entries.map { (name: Array($0.method.rawValue.utf8), entry: $0) }
        let longest = rows.map(\.name.count).max() ?? 0
        return (0...longest).map { length in rows.filter { $0.name.count == length } }
    }()

    private static let byName = Dictionary(
        uniqueKeysWithValues: entries.map { ($0.method.rawValue, $0) })

    private static let session = [
        MethodEntry(
            .hello, "Says who the client is, and tells the daemon's version, limits and features.",
            [
                Parameter(
                    "client",
                    .object([
                        Parameter("name", .string(maxBytes: 128), "The program's name."),
                        Parameter("version", .string(maxBytes: 128), "The program's version."),
                    ]), "Who the client is; shown to administrators."),
                Parameter(
                    "protocol", .integer(1...1), "The protocol version that the client speaks."),
            ], result: "Hello"
        ) { arguments in
            let client = arguments.object("client")
            return .hello(
                Call.Hello(
                    clientName: client?.string("name"), clientVersion: client?.string("version"),
                    protocolVersion: arguments.integer("protocol").map { Int($0) }))
        },
        MethodEntry(
            .help, "Lists the words that can be typed by hand.", result: "Help", shorthand: "help"
        ) { _ in .help },
        MethodEntry(
            .discover, "Describes all methods as an OpenRPC document, or one of them.",
            [Parameter("method", .choice(Method.allCases.map(\.rawValue)), "Only this method.")],
            result: "OpenRPC", errors: [.resultTooLarge]
        ) { arguments in
            .discover(method: arguments.string("method").flatMap { Method(rawValue: $0) })
        },
        MethodEntry(
            .ping, "Answers at once; for probes and for measuring.", result: "Ping",
            shorthand: "ping"
        ) { _ in .ping },
        MethodEntry(
            .stats, "Tells counters since the daemon's start.", result: "Stats",
            shorthand: "stats"
        ) { _ in .stats },
        MethodEntry(
            .clients, "Lists the connected clients.", role: .control,
            [Parameter("offset", .integer(0...1_000_000), "How many to leave out; default 0.")],
            result: "Clients"
        ) { arguments in .clients(offset: Int(arguments.integer("offset") ?? 0)) },
    ]

    private static let users = [
        MethodEntry(
            .userGet, "Tells a user's state.", [user], result: "User", shorthand: "user"
        ) { arguments in .userGet(user: arguments.integer("user")) },
        MethodEntry(
            .userFetch, "Fetches a user; a fetch in flight is joined.", [user, wait],
            result: "User",
            errors: [
                .permissionDenied, .upstreamFailed, .upstreamAuth, .notFound, .timeout, .busy,
                .degraded,
            ],
            shorthand: "fetch"
        ) { arguments in
            .userFetch(
                user: arguments.integer("user"), wait: arguments.boolean("wait") ?? true)
        },
        MethodEntry(
            .userRename, "Renames a loaded user; the name survives fetches and restarts.",
            [
                Parameter(
                    "name", .string(maxBytes: Limits.nameCharacters * 16), required: true,
                    "1 to \(Limits.nameCharacters) characters, one of them visible, none for control or direction."
                ), user, key,
            ], result: "User",
            errors: [.permissionDenied, .invalidTransition, .outOfRange, .keyReused, .degraded],
            shorthand: "rename", .rest("name")
        ) { arguments throws(WireError) in
            .userRename(
                user: arguments.integer("user"), name: arguments.string("name") ?? "",
                key: try requestKey(arguments))
        },
    ]

    private static let movies = [
        MethodEntry(
            .moviesGet, "Gives a stretch of a movie list.",
            [
                list,
                Parameter("offset", .integer(0...1_000_000), "The first position; default 0."),
                Parameter(
                    "limit", .integer(1...Int64(Limits.moviesPerRequest)),
                    "How many at most; default \(Limits.moviesPerRequestDefault)."),
            ], result: "Movies", errors: [.notFound], shorthand: "movies"
        ) { arguments in
            .moviesGet(
                listName(arguments), offset: Int(arguments.integer("offset") ?? 0),
                limit: arguments.integer("limit").map { Int($0) }
                    ?? Limits.moviesPerRequestDefault)
        },
        MethodEntry(
            .moviesFetch, "Fetches the next page of a list, or a page named, and appends it.",
            [
                list,
                Parameter(
                    "page", .integer(1...Int64(Limits.lastPage)),
                    "The page; default the next one. A page already there is not fetched again."),
                wait, key,
            ], result: "Movies",
            errors: [
                .notFound, .endOfList, .outOfRange, .keyReused, .upstreamFailed, .upstreamAuth,
                .timeout, .busy, .degraded,
            ],
            shorthand: "more"
        ) { arguments throws(WireError) in
            .moviesFetch(
                listName(arguments), page: arguments.integer("page").map { Int($0) },
                wait: arguments.boolean("wait") ?? true, key: try requestKey(arguments))
        },
        MethodEntry(
            .moviesRefresh,
            "Starts a list anew from page 1; the old movies stay until the new ones are there.",
            role: .control, [list, key], result: "MoviesStatus", errors: [.notFound, .keyReused],
            shorthand: "refresh"
        ) { arguments throws(WireError) in
            .moviesRefresh(listName(arguments), key: try requestKey(arguments))
        },
    ]

    private static let subscriptions = [
        MethodEntry(
            .subscribe, "Pushes every change of a topic, after a snapshot or from a cursor on.",
            [
                Parameter(
                    "topic", .string(maxBytes: Limits.subscriptionNameBytes), required: true,
                    "user, user/ID, movies, movies/LIST or engine."),
                Parameter(
                    "as", .string(maxBytes: Limits.subscriptionNameBytes),
                    "What pushes are marked with; default the topic."),
                Parameter(
                    "since", .string(maxBytes: Limits.subscriptionNameBytes),
                    "The last cursor the client got; what came after it follows."),
                Parameter(
                    "mode", .choice(SubscriptionMode.allCases.map(\.rawValue)),
                    "latest (default): the newest state when behind; all: each transition."),
            ], result: "Subscription",
            errors: [
                .unknownTopic, .alreadySubscribed, .tooManySubscriptions, .badCursor,
            ], shorthand: "watch", .each("topic")
        ) { arguments throws(WireError) in
            let topic = arguments.string("topic") ?? ""
            return .subscribe(
                Call.Subscribe(
                    topic: topic, name: arguments.string("as") ?? topic,
                    since: try cursor(arguments.string("since")),
                    mode: arguments.string("mode").flatMap { SubscriptionMode(rawValue: $0) }
                        ?? .latest))
        },
        MethodEntry(
            .unsubscribe, "Ends a subscription; the reply is its last line.",
            [
                Parameter(
                    "as", .string(maxBytes: Limits.subscriptionNameBytes), required: true,
                    "The subscription's name.")
            ], result: "Empty", errors: [.notSubscribed], shorthand: "unwatch", .each("as")
        ) { arguments in .unsubscribe(name: arguments.string("as") ?? "") },
        MethodEntry(
            .sync, "Answers when every change made before has been pushed to this connection.",
            result: "Empty"
        ) { _ in .sync },
    ]

    private static let engine = [
        MethodEntry(
            .engineReload, "Reads the configuration again, as SIGHUP does.", role: .admin,
            result: "Empty"
        ) { _ in .engineReload },
        MethodEntry(
            .engineStop, "Stops the daemon, as SIGTERM does.", role: .admin, result: "Empty"
        ) { _ in .engineStop },
    ]

    // MARK: Parameters that several methods have

    private static let user = Parameter(
        "user", .integer(0...Int64(UInt32.max) - 1), "The user's number; default the peer's own.")
    private static let list = Parameter(
        "list", .string(maxBytes: 32), "The list's name; default popular.")
    private static let wait = Parameter(
        "wait", .boolean, "Answer when it is done (default), or at once.")
    private static let key = Parameter(
        "key", .string(maxBytes: Limits.keyBytes),
        "Random text; sent again with the same key, the request is answered alike and done once.")

    private static func listName(_ arguments: Arguments) -> MovieListName {
        arguments.string("list").map { MovieListName(rawValue: $0) } ?? .popular
    }

    private static func requestKey(_ arguments: Arguments) throws(WireError) -> String? {
        guard let text = arguments.string("key") else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw WireError(
                .outOfRange,
                "key is 1 to \(Limits.keyBytes) printable ASCII characters without blanks, "
                    + "such as a UUID", path: "/params/key")
        }
        return text
    }

    private static func cursor(_ text: String?) throws(WireError) -> Cursor? {
        guard let text else { return nil }
        guard let cursor = Cursor(text) else {
            throw WireError(
                .badCursor, "since is not a cursor of this daemon; leave it out to get a snapshot",
                path: "/params/since")
        }
        return cursor
    }
}
