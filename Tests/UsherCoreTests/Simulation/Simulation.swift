// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// A core with everything around it played by chance: peers that ask and follow, services that answer late or fail, a
// store that refuses or loses what was not durable. Nothing here knows a clock or a thread, so a seed gives the same
// walk again.

import UsherCore
import UsherWire

struct Simulation {
    private var random: SeededGenerator
    private var core: Core
    private var store: FakeStore
    private var followers: [Follower] = []
    private var isStoreBroken = false
    /// What was asked of the services and not answered.
    private var userFetches: [Int64] = []
    private var pageFetches: [MovieListName] = []
    private var unanswered: Set<RequestToken> = []
    private var lastToken: UInt64 = 0
    private var lastName = 0
    private var renames: [RequestToken: (id: Int64, number: Int)] = [:]
    private var keyed = KeyedRequests()
    /// When each rename was sent: the last time that it was not known yet.
    private var sendings: [Int: Int] = [:]
    /// When the newest rename of each user that was answered was sent.
    private var renamed: [Int64: Int] = [:]
    /// Each user's transitions in the order they were shown.
    private var shown: [Int64: [Shown]] = [:]
    /// Each topic's revision after the last event.
    private var revisions: [Topic: UInt64] = [:]
    /// How often what happened, to prove that it did.
    private(set) var counts: [String: Int] = [:]

    private static let epoch = Epoch(value: 0x5EED)
    private static let users: [Int64] = [1, 2]
    private static let lists: [MovieListName] = [.popular, .upcoming]

    init(seed: UInt64) throws(Violation) {
        random = SeededGenerator(seed: seed)
        store = FakeStore(epoch: Self.epoch)
        var effects: [Effect] = []
        core = Core(store.open(), lists: Self.lists, &effects)
        try perform(effects)
        for mode in SubscriptionMode.allCases {
            followers += Self.users.map { Follower(.user($0), mode) }
            followers.append(Follower(.engine, mode))
        }
        followers += (Self.lists + Self.lists).map { Follower(.movies($0), .latest) }
    }

    /// Lets so many things happen, then lets everything end well and looks whether everybody knows it.
    mutating func walk(steps: Int) throws(Violation) {
        for _ in 0..<steps {
            try happen()
            if chance(60) { try visit(followers[below(followers.count)]) }
        }
        try settle()
        for follower in followers {
            if follower.subscription == nil { try connect(follower) }
            try read(follower, pushes: .max)
            try follower.checkConvergence(core)
        }
    }

    // MARK: What happens

    private mutating func happen() throws(Violation) {
        let user = Self.users[below(Self.users.count)]
        let list = Self.lists[below(Self.lists.count)]
        switch below(100) {
        case 0..<12: try handle(.fetchUser(user, token(), waits: chance(50)))
        case 12..<26: try rename(user)
        case 26..<36:
            let page = chance(60) ? nil : 1 + below(4)
            try ask(.fetch(list, page: page, waits: chance(50)), withKey: chance(50))
        case 36..<40: try ask(.refresh(list), withKey: chance(50))
        case 40..<54: try answerUserFetch()
        case 54..<68: try answerPageFetch()
        case 68..<70: try askAgain()
        case 70..<80: work()
        case 80..<93: try hear()
        case 93: isStoreBroken.toggle()
        case 94..<97:
            try handle(.engine(EngineEvent(step: .reload, phase: chance(50) ? .will : .did)))
        case 97: try probe()
        case 98: if chance(15) { try renameOften(user) }
        default: if chance(40) { try restart() }
        }
    }

    private mutating func answerUserFetch() throws(Violation) {
        guard !userFetches.isEmpty else { return }
        let id = userFetches.remove(at: below(userFetches.count))
        let user = User(id: id, name: "F\(nextName())", username: "u\(id)")
        let failure = WireError(.timeout, "too late")
        try handle(.userFetched(id, chance(75) ? .success(user) : .failure(failure)))
    }

    private mutating func answerPageFetch() throws(Violation) {
        guard !pageFetches.isEmpty else { return }
        let list = pageFetches.remove(at: below(pageFetches.count))
        switch below(10) {
        case 0: try handle(.pageFetched(list, .failure(WireError(.endOfList, "no more"))))
        case 1, 2: try handle(.pageFetched(list, .failure(WireError(.timeout, "too late"))))
        default:
            let movies = (0..<below(6)).map { _ in movie(Int64(below(40))) }
            try handle(
                .pageFetched(list, .success(FetchedMovies(pages: 2 + below(4), movies: movies))))
        }
    }

    private mutating func work() {
        for _ in 0...below(3) { store.work(fails: isStoreBroken || chance(3)) }
    }

    private mutating func hear() throws(Violation) {
        for _ in 0...below(3) {
            guard let answer = store.nextAnswer() else { return }
            try handle(answer)
        }
    }

    private mutating func rename(_ user: Int64) throws(Violation) {
        let number = nextName()
        try ask(.rename(user, number), withKey: chance(50))
    }

    private mutating func ask(_ call: KeyedRequests.Call, withKey: Bool) throws(Violation) {
        try send(call, key: withKey ? keyed.add(call) : nil)
    }

    /// What a client does that was cut off: it sends the same once more, answered before or not.
    private mutating func askAgain() throws(Violation) {
        guard keyed.count > 0 else { return }
        let (key, call) = keyed.request(below(keyed.count))
        count("again")
        try send(call, key: key)
    }

    private mutating func send(
        _ call: KeyedRequests.Call, key: RequestKey?
    ) throws(Violation) {
        let token = token()
        let use = key.map { KeyUse($0, uptime: UInt64(lastName)) }
        let isNew = key.map { !keyed.isKnown($0, store) } ?? true
        if let key { keyed.sent(token, key) }
        switch call {
        case .rename(let user, let number):
            renames[token] = (user, number)
            if isNew { sendings[number] = nextName() }
            try handle(.renameUser(user, to: "R\(number)", token, key: use))
        case .fetch(let list, let page, let waits):
            try handle(.fetchMovies(list, page: page, token, waits: waits, key: use))
        case .refresh(let list): try handle(.refreshMovies(list, token, key: use))
        }
    }

    /// More transitions than are remembered, while nobody reads.
    private mutating func renameOften(_ user: Int64) throws(Violation) {
        for _ in 0..<300 {
            try rename(user)
            store.work(fails: false)
            if let answer = store.nextAnswer() { try handle(answer) }
        }
    }

    /// The daemon ends, with or without a word, and another one goes on from what is on disk.
    private mutating func restart() throws(Violation) {
        count("restart")
        if chance(50) { while store.hasWork { store.work(fails: false) } }
        userFetches = []
        pageFetches = []
        unanswered = []
        keyed.crash(store)
        for follower in followers { _ = follower.leave() }
        let stored = store.crash()
        var effects: [Effect] = []
        core = Core(stored, lists: Self.lists, &effects)
        shown = [:]
        for user in stored.users {
            shown[user.record.user.id] = user.transitions.map {
                Shown(revision: $0.revision, state: $0.state)
            }
        }
        revisions = [:]
        for id in Self.users { revisions[.user(id)] = shown[id]?.last?.revision ?? 0 }
        for name in Self.lists { revisions[.movies(name)] = core.list(name)?.revision }
        try perform(effects)
        try check(changed: effects)
    }

    /// Lets everything that was begun come to an end.
    private mutating func settle() throws(Violation) {
        isStoreBroken = false
        var rounds = 0
        while !store.isIdle || !userFetches.isEmpty || !pageFetches.isEmpty {
            rounds += 1
            try Violation.require(rounds < 1_000, "everything ends")
            work()
            try hear()
            try answerUserFetch()
            try answerPageFetch()
        }
        try Violation.require(unanswered.isEmpty, "I8: \(unanswered.count) were never answered")
        for id in Self.users {
            try Violation.require(
                core.user(id).state != .loading, "user/\(id) is not loading for ever")
        }
        for name in Self.lists {
            try Violation.require(
                core.list(name)?.status.phase != .loading, "\(name) is not loading for ever")
        }
    }

    // MARK: The core and its promises

    private mutating func handle(_ event: Event) throws(Violation) {
        let effects = core.handle(event)
        try perform(effects)
        try check(changed: effects)
    }

    private mutating func perform(_ effects: [Effect]) throws(Violation) {
        for effect in effects {
            switch effect {
            case .reply(let token, let result):
                try Violation.require(
                    unanswered.remove(token) != nil, "I8: \(token.value) is answered once")
                try check(result)
                if try keyed.check(token, result, store) { count("alike") }
                if let rename = renames[token], case .success = result {
                    renamed[rename.id] = max(
                        sendings[rename.number] ?? 0, renamed[rename.id] ?? 0)
                }
            case .commit(let owner, let change): store.commit(change, of: owner)
            case .fetchUser(let id):
                try Violation.require(!userFetches.contains(id), "one fetch in flight a user")
                userFetches.append(id)
            case .fetchPage(let list, _):
                try Violation.require(!pageFetches.contains(list), "one fetch in flight a list")
                pageFetches.append(list)
            case .changed: break
            }
        }
    }

    private mutating func check(_ result: Result<Reply, WireError>) throws(Violation) {
        switch result {
        case .success(.movies(let name, let offset, let count)):
            let total = core.list(name)?.movies.count ?? 0
            try Violation.require(offset + count <= total, "an answer's movies are in the list")
        case .success: break
        case .failure(let error): count(error.reason.rawValue)
        }
    }

    /// Looks at every topic after an event: what moved, whether it may, whether its subscribers hear of it.
    private mutating func check(changed effects: [Effect]) throws(Violation) {
        var changed: Set<Topic> = []
        for case .changed(let topic) in effects { changed.insert(topic) }
        for id in Self.users {
            let (state, revision) = core.user(id)
            if try hasMoved(.user(id), to: revision, changed) {
                shown[id, default: []].append(Shown(revision: revision, state: state))
            }
            if let last = shown[id]?.last, revision != 0 {
                try Violation.require(last.state == state, "a state has one revision")
            }
            if case .loaded(let user) = state {
                try Violation.require(
                    store.names[id]?.contains(user.name) == true, "O8: \(user.name) is on disk")
                if let sending = renamed[id] {
                    let shown = Int(user.name.dropFirst()).flatMap { sendings[$0] } ?? 0
                    try Violation.require(
                        user.name.hasPrefix("R") && shown >= sending,
                        "I1: \(user.name) is shown, and a later rename was answered")
                }
            }
        }
        for name in Self.lists {
            guard let list = core.list(name) else { throw Violation("\(name) is gone") }
            _ = try hasMoved(.movies(name), to: list.revision, changed)
            let ids = list.movies.map(\.id)
            try Violation.require(
                ids.isEmpty || store.orders[name]?.contains(ids) == true, "O8: \(name) is on disk")
            try Violation.require(Set(ids).count == ids.count, "no movie stands twice")
            try Violation.require(list.status.total == ids.count, "the total is right")
        }
    }

    private mutating func hasMoved(
        _ topic: Topic, to revision: UInt64, _ changed: Set<Topic>
    ) throws(Violation) -> Bool {
        let last = revisions.updateValue(revision, forKey: topic) ?? 0
        // Nothing is known of the user, any more.
        if revision == 0 { return false }
        try Violation.require(revision >= last, "I6: \(topic) went from \(last) to \(revision)")
        try Violation.require(
            changed.contains(topic) == (revision != last), "subscribers hear of \(topic)")
        return revision != last
    }

    // MARK: Peers

    private mutating func visit(_ follower: Follower) throws(Violation) {
        if follower.subscription == nil {
            if chance(10) { follower.forget() }
            try connect(follower)
        } else if chance(10) {
            if let subscription = follower.leave() { unsubscribe(subscription) }
        } else {
            try read(follower, pushes: below(4))
        }
    }

    private mutating func connect(_ follower: Follower) throws(Violation) {
        var effects: [Effect] = []
        let start = core.subscribe(
            session, to: follower.topic, name: "f", mode: follower.mode, since: follower.cursor,
            budget: budget(), &effects)
        count(start.reason?.rawValue ?? "recovered")
        try Violation.require(
            (start.reason == .noCursor) == (follower.cursor == nil), "a cursor is used")
        try Violation.require(
            start.reason != .ahead && start.reason != .epochChanged,
            "O8: a cursor that was given is \(start.reason?.rawValue ?? "")")
        try follower.begin(start, core)
        try perform(effects)
        try check(changed: effects)
    }

    private mutating func read(_ follower: Follower, pushes: Int) throws(Violation) {
        guard let subscription = follower.subscription else { return }
        var read = 0
        while read < pushes {
            guard let push = core.nextPush(for: subscription, budget: budget()) else { return }
            read += 1
            try Violation.require(read < 10_000, "a subscriber is owed an end")
            if push.gap { count("gap") }
            if push.skipped > 0 { count("skipped") }
            if push.more { count("more") }
            if case .reset = push.body { count("reset") }
            var shown: [Shown] = []
            if case .user(let id) = follower.topic { shown = self.shown[id] ?? [] }
            try follower.take(push, shown, core)
        }
    }

    /// A peer with a cursor that nobody gave it.
    private mutating func probe() throws(Violation) {
        let topic = followers[below(followers.count)].topic
        let isOther = chance(30)
        let revision = chance(50) ? core.revisions.last + 1 + UInt64(below(9)) : UInt64(below(50))
        var effects: [Effect] = []
        let start = core.subscribe(
            session, to: topic, name: "p", mode: .latest,
            since: Cursor(epoch: isOther ? Epoch(value: 1) : Self.epoch, revision: revision),
            budget: budget(), &effects)
        count(start.reason?.rawValue ?? "recovered")
        if isOther {
            try Violation.require(start.reason == .epochChanged, "another epoch is told")
        } else {
            try Violation.require(
                revision <= core.revisions.last || start.reason == .ahead, "a cursor ahead is told")
        }
        try perform(effects)
        try check(changed: effects)
        unsubscribe(start.subscription)
    }

    private mutating func unsubscribe(_ subscription: Subscription) {
        core.unsubscribe(subscription)
        // A user of whom nothing is known is forgotten with its last subscriber.
        for id in Self.users where core.user(id).revision == 0 { shown[id] = nil }
    }

    // MARK: Chance

    private mutating func token() -> RequestToken {
        lastToken += 1
        let token = RequestToken(value: lastToken)
        unanswered.insert(token)
        return token
    }

    private mutating func nextName() -> Int {
        lastName += 1
        return lastName
    }

    private mutating func budget() -> Int {
        [0, 11, 25, 60, .max][below(5)]
    }

    private mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &random)
    }

    private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    private mutating func count(_ what: String) { counts[what, default: 0] += 1 }
}

/// Random numbers that a seed gives again (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
