// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// A core and words for what goes in and comes out, so that a test reads as a list of events and a list of effects.

import UsherCore
import UsherWire

/// The state that a store gives to the first run.
let blank = StoredState(epoch: Epoch(value: 0xE))

let session = SessionID(value: 1)

struct Bench {
    let core: Core
    /// What the core wanted done when it was made.
    let firstEffects: [String]
    /// The user that the short forms below mean.
    var id: Int64 = 7
    /// The list that the short forms below mean.
    var list = MovieListName.popular

    init(_ stored: StoredState = blank, lists: [MovieListName] = [.popular]) {
        var effects: [Effect] = []
        core = Core(stored, lists: lists, &effects)
        firstEffects = effects.map(\.words)
    }

    mutating func handle(_ event: Event) -> [String] {
        effects(of: event).map(\.words)
    }

    /// What the core wants done about an event.
    func effects(of event: Event) -> [Effect] {
        var effects: [Effect] = []
        core.handle(event, &effects)
        return effects
    }

    // MARK: A user

    mutating func fetch(_ token: UInt64, waits: Bool = true) -> [String] {
        handle(.fetchUser(id, RequestToken(value: token), waits: waits))
    }

    mutating func arrive(_ name: String) -> [String] {
        handle(.userFetched(id, .success(User(id: id, name: name, username: "u"))))
    }

    mutating func miss(_ reason: ErrorReason = .timeout) -> [String] {
        handle(.userFetched(id, .failure(WireError(reason, reason.rawValue))))
    }

    mutating func rename(_ name: String, _ token: UInt64, key: KeyUse? = nil) -> [String] {
        handle(.renameUser(id, to: name, RequestToken(value: token), key: key))
    }

    mutating func keepUser() -> [String] {
        handle(.committed(.user(id), .success(())))
    }

    mutating func refuseUser() -> [String] {
        handle(.committed(.user(id), .failure(WireError(.degraded, "disk full"))))
    }

    var state: String { core.user(id).state.words }

    /// A core with a user that is loaded at revision 2.
    static func loaded(_ name: String = "Ada") -> Bench {
        var bench = Bench()
        _ = bench.fetch(0, waits: false)
        _ = bench.arrive(name)
        _ = bench.keepUser()
        return bench
    }

    // MARK: A list

    mutating func more(
        _ token: UInt64, page: Int? = nil, waits: Bool = true, key: KeyUse? = nil
    ) -> [String] {
        handle(
            .fetchMovies(list, page: page, RequestToken(value: token), waits: waits, key: key))
    }

    mutating func refresh(_ token: UInt64, key: KeyUse? = nil) -> [String] {
        handle(.refreshMovies(list, RequestToken(value: token), key: key))
    }

    /// What was remembered by itself is durable.
    mutating func keepRequest() -> [String] {
        handle(.committed(.requests, .success(())))
    }

    mutating func refuseRequest() -> [String] {
        handle(.committed(.requests, .failure(WireError(.degraded, "disk full"))))
    }

    mutating func arrive(_ movies: [Int64], of pages: Int = 5) -> [String] {
        let page = FetchedMovies(pages: pages, movies: movies.map(movie))
        return handle(.pageFetched(list, .success(page)))
    }

    mutating func missPage(_ reason: ErrorReason = .timeout) -> [String] {
        handle(.pageFetched(list, .failure(WireError(reason, reason.rawValue))))
    }

    mutating func keepList() -> [String] {
        handle(.committed(.list(list), .success(())))
    }

    mutating func refuseList() -> [String] {
        handle(.committed(.list(list), .failure(WireError(.degraded, "disk full"))))
    }

    /// Fetches a page from start to end.
    mutating func load(_ movies: [Int64], of pages: Int = 5) {
        _ = more(0)
        _ = arrive(movies, of: pages)
        _ = keepList()
    }

    /// Starts a list anew from start to end.
    mutating func reload(_ movies: [Int64], of pages: Int = 5) {
        _ = refresh(0)
        _ = arrive(movies, of: pages)
        _ = keepList()
    }

    var movies: [Int64] { core.list(list)?.movies.map(\.id) ?? [] }
    var status: MovieListStatus { core.list(list)?.status ?? .empty }

    // MARK: Subscriptions

    mutating func subscribe(
        to topic: Topic, since revision: UInt64? = nil, mode: SubscriptionMode = .latest,
        budget: Int = .max
    ) -> (start: SubscriptionStart, effects: [String]) {
        var effects: [Effect] = []
        let start = core.subscribe(
            session, to: topic, name: "s", mode: mode,
            since: revision.map { core.cursor($0) }, budget: budget, &effects)
        return (start, effects.map(\.words))
    }

    /// All that a subscriber is owed now.
    func pushes(_ subscription: Subscription, budget: Int = .max) -> [String] {
        var pushes: [String] = []
        while let push = core.nextPush(for: subscription, budget: budget) {
            pushes.append(words(of: push))
        }
        return pushes
    }

    private func words(of push: Push) -> String {
        "\(push.previous)→\(push.revision) \(push.body.words)"
            + (push.skipped > 0 ? " skipped \(push.skipped)" : "")
            + (push.gap ? " gap" : "") + (push.more ? " more" : "")
    }
}

/// A movie whose JSON has ten bytes.
func movie(_ id: Int64) -> EncodedMovie {
    EncodedMovie(id: id, json: Array("{\"id\":\(String(1_000 + id).dropFirst())}".utf8))
}

extension UserState {
    var words: String {
        switch self {
        case .initial: "initial"
        case .loading: "loading"
        case .loaded(let user): "loaded \(user.name)"
        case .error(let message): "error \(message)"
        }
    }
}

extension Effect {
    var words: String {
        switch self {
        case .reply(let token, .success(.user(let id))): "\(token.value): user/\(id)"
        case .reply(let token, .success(.movies(let list, let offset, let count))):
            "\(token.value): \(list) \(offset)+\(count)"
        case .reply(let token, .success(.moviesStatus(let list))): "\(token.value): \(list) status"
        case .reply(let token, .success(.remembered(let answer))):
            "\(token.value): \(answer.words)"
        case .reply(let token, .failure(let error)): "\(token.value): ! \(error.reason.rawValue)"
        case .commit(_, let change): "keep \(change.words)"
        case .fetchUser(let id): "fetch user/\(id)"
        case .fetchPage(let list, let page): "fetch \(list) \(page)"
        case .changed(let topic): "changed \(topic)"
        }
    }
}

extension Change {
    fileprivate var words: String {
        switch self {
        case .user(let record, let transitions):
            "user/\(record.user.id) \(record.user.name)"
                + (record.rename.map { " as \($0)" } ?? "") + ": "
                + transitions.map { "\($0.revision) \($0.state.words)" }.joined(separator: ", ")
        case .append(let list, let progress, let movies):
            "\(list) += \(movies.map(\.id)) \(progress.words)"
        case .reset(let list, let progress, let movies):
            "\(list) = \(movies.map(\.id)) \(progress.words)"
        case .reserve(let revision): "revisions to \(revision)"
        case .remember(let requests, let forgotten, let change):
            (change.map { $0.words + ", " } ?? "") + "with "
                + requests.map { "\($0.key.text): \($0.answer.words)" }.joined(separator: ", ")
                + forgotten.map { ", not \($0.uid) to \($0.through)" }.joined()
        }
    }
}

extension RequestAnswer {
    var words: String {
        switch self {
        case .user(let user, let revision): "user/\(user.id) \(user.name) at \(revision)"
        case .movies(let list, let status, let revision, let offset, let count):
            "\(list) \(offset)+\(count) of \(status.total) at \(revision)"
        case .moviesStatus(let list, let status, let revision):
            "\(list) \(status.phase) at \(revision)"
        }
    }
}

extension MovieListProgress {
    fileprivate var words: String {
        "at \(revision), \(page)/\(pages)" + (isComplete ? " complete" : "")
    }
}

extension Push.Body {
    var words: String {
        switch self {
        case .userState(let state): state.words
        case .append(_, let range): "append \(range)"
        case .reset(_, let range): "reset \(range)"
        case .engine(let event): event.map { "\($0.phase) \($0.step)" } ?? "nothing"
        }
    }
}
