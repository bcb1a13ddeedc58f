// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherWire

// The results and pushes of the protocol, each made from the state at the time it is written.
extension JSONWriter {
    /// Begins the answer to a request; a result or an error follows, and a closing brace.
    mutating func beginAnswer(_ id: RequestID) {
        raw(Self.answerHead)
        switch id {
        case .json(let json): raw(json)
        case .absent, .unreadable: raw("null")
        }
    }

    static let answerHead = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    static let resultHead = Array(",\"result\":".utf8)

    /// Says where the state stands in it.
    mutating func userResult(_ id: Int64, _ core: Core) -> Range<Int> {
        let (state, revision) = core.user(id)
        let place = beginUserResult(id, state, core.cursor(revision))
        degraded(core)
        raw("}")
        return place
    }

    /// The mark of what is read while the store cannot be written: a last member, and none otherwise.
    mutating func degraded(_ core: Core) {
        if core.isDegraded { raw(",\"degraded\":true") }
    }

    @discardableResult private mutating func beginUserResult(
        _ id: Int64, _ state: UserState, _ cursor: Cursor
    ) -> Range<Int> {
        raw("{\"user\":")
        integer(id)
        raw(",\"state\":")
        let start = bytes.count
        userState(state)
        let end = bytes.count
        raw(",\"cursor\":")
        self.cursor(cursor)
        return start..<end
    }

    /// `asked` movies from `offset` on, or as many as `budget` bytes hold.
    mutating func moviesResult(
        _ list: MovieListMachine, offset: Int, asked: Int, budget: Int, _ core: Core
    ) {
        let range = list.stretch(from: offset, budget: budget, limit: asked)
        let next = range.upperBound < list.movies.count ? range.upperBound : nil
        beginMoviesResult(list, range, next: next, list.status, core.cursor(list.revision))
        degraded(core)
        raw("}")
    }

    private mutating func beginMoviesResult(
        _ list: MovieListMachine, _ range: Range<Int>, next: Int?, _ status: MovieListStatus,
        _ cursor: Cursor
    ) {
        raw("{\"list\":")
        string(list.name.rawValue)
        raw(",\"offset\":")
        integer(range.lowerBound)
        raw(",\"items\":")
        movies(list, range)
        raw(",\"next\":")
        if let next {
            integer(next)
        } else {
            raw("null")
        }
        raw(",\"total\":")
        integer(status.total)
        raw(",\"complete\":")
        boolean(status.complete)
        raw(",\"status\":")
        movieListStatus(status)
        raw(",\"cursor\":")
        self.cursor(cursor)
    }

    mutating func moviesStatusResult(_ list: MovieListMachine, _ core: Core) {
        beginMoviesStatusResult(list.name, list.status, core.cursor(list.revision))
        degraded(core)
        raw("}")
    }

    private mutating func beginMoviesStatusResult(
        _ name: MovieListName, _ status: MovieListStatus, _ cursor: Cursor
    ) {
        raw("{\"list\":")
        string(name.rawValue)
        raw(",\"status\":")
        movieListStatus(status)
        raw(",\"cursor\":")
        self.cursor(cursor)
    }

    /// The result of a request with a key, as it was when the request was carried out.
    ///
    /// Only movies may be missing from it: those of a generation that is over.
    mutating func remembered(
        _ answer: RequestAnswer, budget: Int, _ core: Core
    ) {
        switch answer {
        case .user(let user, let revision):
            beginUserResult(user.id, .loaded(user), core.cursor(revision))
        case .moviesStatus(let name, let status, let revision):
            beginMoviesStatusResult(name, status, core.cursor(revision))
        case .movies(let name, let status, let revision, let offset, let count):
            guard let list = core.list(name) else { return }
            let isThere = revision >= list.generation && offset + count <= list.movies.count
            let range =
                isThere
                ? list.stretch(from: offset, budget: budget, limit: count) : offset..<offset
            let next = isThere && range.upperBound < status.total ? range.upperBound : nil
            beginMoviesResult(list, range, next: next, status, core.cursor(revision))
        }
        raw("}")
    }

    mutating func subscriptionResult(_ start: SubscriptionStart, _ core: Core) {
        raw("{\"as\":")
        string(start.subscription.name)
        raw(",\"topic\":")
        string(start.subscription.topic.description)
        raw(",\"cursor\":")
        cursor(core.cursor(start.subscription.sent))
        raw(",\"recovered\":")
        boolean(start.reason == nil)
        if let reason = start.reason {
            raw(",\"reason\":")
            string(reason.rawValue)
        }
        if let snapshot = start.snapshot {
            raw(",\"snapshot\":")
            pushBody(snapshot, core)
        }
        if start.more { raw(",\"more\":true") }
        degraded(core)
        raw("}")
    }

    /// How a client's former connection ended, as a last member of the reply to `hello`.
    mutating func eviction(_ eviction: Eviction) {
        raw(",\"evicted\":{\"reason\":")
        string(eviction.reason.rawValue)
        raw(",\"at_uptime_ms\":")
        integer(eviction.uptime)
        raw("}")
    }

    /// What each push of a subscription begins with.
    mutating func pushHead(_ subscription: Subscription) {
        raw("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"as\":")
        string(subscription.name)
        raw(",\"topic\":")
        string(subscription.topic.description)
    }

    /// What follows the head of a push; the same bytes for every subscriber that was at the same place.
    ///
    /// `state` is what the push shows, if it is known encoded.
    mutating func pushTail(_ push: Push, state: ArraySlice<UInt8>? = nil, _ core: Core) {
        raw(",\"cursor\":")
        cursor(core.cursor(push.revision))
        raw(",\"prev\":")
        cursor(core.cursor(push.previous))
        raw(",\"data\":")
        if let state { raw(state) } else { pushBody(push.body, core) }
        if push.skipped > 0 {
            raw(",\"skipped\":")
            integer(push.skipped)
        }
        if push.gap { raw(",\"gap\":true") }
        if push.more { raw(",\"more\":true") }
        raw("}}\n")
    }

    private mutating func pushBody(_ body: Push.Body, _ core: Core) {
        switch body {
        case .userState(let state): userState(state)
        case .append(let name, let range): chunk("append", name, range, core)
        case .reset(let name, let range): chunk("reset", name, range, core)
        case .engine(let event?): engineEvent(event)
        case .engine(nil): raw("null")
        }
    }

    private mutating func chunk(
        _ operation: String, _ name: MovieListName, _ range: Range<Int>, _ core: Core
    ) {
        guard let list = core.list(name) else { return }
        raw("{\"op\":\"")
        raw(operation)
        raw("\",\"at\":")
        integer(range.lowerBound)
        raw(",\"items\":")
        movies(list, range)
        raw(",\"status\":")
        movieListStatus(list.status)
        raw("}")
    }

    private mutating func movies(_ list: MovieListMachine, _ range: Range<Int>) {
        raw("[")
        for index in range {
            if index > range.lowerBound { raw(",") }
            raw(list.movies[index].json)
        }
        raw("]")
    }
}
