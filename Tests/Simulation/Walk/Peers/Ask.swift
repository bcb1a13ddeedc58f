// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// What a peer asks for.
enum Ask {
    case ping, stats, clients, sync, reload, stop
    case hello(name: String)
    case userGet(Int64)
    case userFetch(Int64, waits: Bool)
    case rename(Int64, String, key: String? = nil)
    case moviesGet(String, offset: Int, limit: Int)
    case moviesFetch(String, page: Int?, waits: Bool, key: String? = nil)
    case refresh(String, key: String? = nil)
    case subscribe(Follower, since: Position?)
    case unsubscribe(Follower)
    /// A line that is no request, and the reason that the daemon has to give.
    case malformed(reason: String)

    /// Whether other answers may overtake the answer.
    var isDeferred: Bool {
        switch self {
        case .userFetch(_, let waits), .moviesFetch(_, _, let waits, _): waits
        default: false
        }
    }

    /// The role that it takes, by the pages on roles.
    func role(ownUser: Int64?) -> Role {
        switch self {
        case .userFetch(let user, _), .rename(let user, _, _):
            user == ownUser ? .read : .control
        case .clients, .refresh: .control
        case .reload, .stop: .admin
        default: .read
        }
    }

    var method: String {
        switch self {
        case .ping: "ping"
        case .stats: "stats"
        case .clients: "clients"
        case .sync: "sync"
        case .reload: "engine.reload"
        case .stop: "engine.stop"
        case .hello: "hello"
        case .userGet: "user.get"
        case .userFetch: "user.fetch"
        case .rename: "user.rename"
        case .moviesGet: "movies.get"
        case .moviesFetch: "movies.fetch"
        case .refresh: "movies.refresh"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .malformed: ""
        }
    }

    private enum Argument {
        case text(String)
        case number(Int64)
        case flag(Bool)
        case members(String)
    }

    private var arguments: [(name: String, value: Argument)] {
        switch self {
        case .hello(let name): [("client", .members("{\"name\":\"\(name)\"}"))]
        case .userGet(let user): [("user", .number(user))]
        case .userFetch(let user, let waits): [("user", .number(user)), ("wait", .flag(waits))]
        case .rename(let user, let name, let key):
            [("name", .text(name)), ("user", .number(user))] + Self.argument(key)
        case .moviesGet(let list, let offset, let limit):
            [
                ("list", .text(list)), ("offset", .number(Int64(offset))),
                ("limit", .number(Int64(limit))),
            ]
        case .moviesFetch(let list, let page, let waits, let key):
            [("list", .text(list)), ("wait", .flag(waits))]
                + (page.map { [("page", .number(Int64($0)))] } ?? []) + Self.argument(key)
        case .refresh(let list, let key): [("list", .text(list))] + Self.argument(key)
        case .subscribe(let follower, let since):
            [
                ("topic", .text(follower.topic)), ("as", .text(follower.name)),
                ("mode", .text(follower.mode)),
            ] + (since.map { [("since", .text($0.description))] } ?? [])
        case .unsubscribe(let follower): [("as", .text(follower.name))]
        case .ping, .stats, .clients, .sync, .reload, .stop, .malformed: []
        }
    }

    private static func argument(_ key: String?) -> [(name: String, value: Argument)] {
        key.map { [("key", .text($0))] } ?? []
    }

    /// The key by which it may be sent again.
    var key: String? {
        switch self {
        case .rename(_, _, let key), .moviesFetch(_, _, _, let key), .refresh(_, let key): key
        default: nil
        }
    }

    /// Whether its answer says that it is done and durable, and not only begun.
    var isAnsweredWhenDurable: Bool {
        switch self {
        case .rename: true
        case .moviesFetch(_, _, let waits, _): waits
        default: false
        }
    }

    /// The request as JSON, without an id if it is a notification.
    func json(id: String?, hasVersion: Bool) -> String {
        var members = hasVersion ? ["\"jsonrpc\":\"2.0\""] : []
        if let id { members.append("\"id\":\(id)") }
        members.append("\"method\":\"\(method)\"")
        let params = arguments.map { name, value in
            let text =
                switch value {
                case .text(let text): "\"\(text)\""
                case .number(let number): "\(number)"
                case .flag(let flag): "\(flag)"
                case .members(let json): json
                }
            return "\"\(name)\":\(text)"
        }
        if !params.isEmpty { members.append("\"params\":{\(params.joined(separator: ","))}") }
        return "{\(members.joined(separator: ","))}"
    }

    /// The request as a person types it.
    var typed: String {
        let words = arguments.map { name, value in
            switch value {
            case .text(let text): "\(name)=\"\(text)\""
            case .number(let number): "\(name)=\(number)"
            case .flag(let flag): "\(name)=\(flag)"
            case .members(let json): "\(name)=\(json)"
            }
        }
        return ([method] + words).joined(separator: " ")
    }

    /// Whether it can be typed: objects have no shorthand.
    var canBeTyped: Bool {
        switch self {
        case .hello, .malformed: false
        default: true
        }
    }
}
