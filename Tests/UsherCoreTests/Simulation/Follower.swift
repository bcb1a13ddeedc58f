// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherWire

/// What a walk found wrong.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func require(_ isTrue: Bool, _ promise: @autoclosure () -> String) throws(Violation) {
        guard isTrue else { throw Violation(promise()) }
    }
}

/// One transition as it was shown.
struct Shown {
    let revision: UInt64
    let state: UserState
}

/// A peer that follows one topic, believes only what it is sent, and checks that it misses nothing.
final class Follower {
    let topic: Topic
    let mode: SubscriptionMode
    private(set) var subscription: Subscription?
    /// The last one that it got; kept while it is away.
    private(set) var cursor: Cursor?
    private var state = UserState.initial
    private var movies: [EncodedMovie] = []
    private var status = MovieListStatus.empty

    init(_ topic: Topic, _ mode: SubscriptionMode) {
        self.topic = topic
        self.mode = mode
    }

    /// Takes the answer to a subscription.
    func begin(_ start: SubscriptionStart, _ core: Core) throws(Violation) {
        subscription = start.subscription
        if let snapshot = start.snapshot {
            take(snapshot, core)
            cursor = core.cursor(start.subscription.sent)
            try Violation.require(
                start.more == (start.subscription.sent == 0 && !movies.isEmpty),
                "a snapshot in parts has the cursor 0")
        }
        try Violation.require(
            cursor == core.cursor(start.subscription.sent), "the cursor is the last that was sent")
    }

    /// Loses the connection, and nothing of what it knows.
    func leave() -> Subscription? {
        defer { subscription = nil }
        return subscription
    }

    func forget() { cursor = nil }

    /// Takes a push; `shown` are all transitions of the topic.
    func take(_ push: Push, _ shown: [Shown], _ core: Core) throws(Violation) {
        guard let cursor, let subscription else { throw Violation("a push came unasked") }
        try Violation.require(
            push.previous == cursor.revision, "O5: prev \(push.previous) is not \(cursor)")
        try Violation.require(push.revision > push.previous, "I3: revisions grow")
        switch push.body {
        case .userState(let state):
            try check(push, state, after: cursor.revision, shown)
        case .append(_, let range):
            try Violation.require(range.lowerBound <= movies.count, "L1: no hole in a list")
            let overlap = movies[range.lowerBound..<min(range.upperBound, movies.count)]
            let items = core.items(of: topic, range)
            try Violation.require(
                overlap.elementsEqual(items.prefix(overlap.count)),
                "a part that comes again is the same")
        case .reset, .engine: break
        }
        take(push.body, core)
        if !push.more { self.cursor = core.cursor(push.revision) }
        try Violation.require(
            subscription.sent == self.cursor?.revision, "the daemon knows the peer's cursor")
        if case .movies(let name) = topic, !push.more {
            try Violation.require(
                movies == core.list(name)?.movies && status == core.list(name)?.status,
                "L1: a list is whole after its last part")
        }
    }

    /// Whether it knows all there is to know.
    func checkConvergence(_ core: Core) throws(Violation) {
        switch topic {
        case .user(let id):
            try Violation.require(state == core.user(id).state, "I4: \(topic) is known")
        case .movies(let name):
            try Violation.require(
                movies == core.list(name)?.movies && status == core.list(name)?.status,
                "I4: \(topic) is known")
        case .engine: break
        }
    }

    private func check(
        _ push: Push, _ state: UserState, after cursor: UInt64, _ shown: [Shown]
    ) throws(Violation) {
        guard let index = shown.lastIndex(where: { $0.revision == push.revision }) else {
            throw Violation("revision \(push.revision) was pushed and never shown")
        }
        try Violation.require(shown[index].state == state, "a push has the state of its revision")
        let missed = shown[..<index].count { $0.revision > cursor }
        try Violation.require(
            push.skipped == missed, "I5: skipped says \(push.skipped) of \(missed)")
        switch mode {
        case .latest: try Violation.require(!push.gap, "mode latest has no gaps")
        case .all:
            try Violation.require(
                push.gap == (missed > 0), "mode all leaves nothing out without a word")
            try Violation.require(
                !push.gap || missed >= Limits.historyTransitions,
                "mode all remembers \(Limits.historyTransitions) transitions")
        }
        if mode == .latest || push.gap {
            try Violation.require(
                index == shown.count - 1, "what is not each transition is the newest")
        }
    }

    private func take(_ body: Push.Body, _ core: Core) {
        switch body {
        case .userState(let state): self.state = state
        case .append(let name, let range):
            movies.replaceSubrange(
                range.lowerBound..<min(range.upperBound, movies.count),
                with: core.items(of: topic, range))
            status = core.list(name)?.status ?? .empty
        case .reset(let name, let range):
            movies = core.items(of: topic, range)
            status = core.list(name)?.status ?? .empty
        case .engine: break
        }
    }
}

extension Core {
    fileprivate func items(of topic: Topic, _ range: Range<Int>) -> [EncodedMovie] {
        guard case .movies(let name) = topic, let list = list(name) else { return [] }
        return Array(list.movies[range])
    }
}
