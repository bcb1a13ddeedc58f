// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

extension Core {
    /// Begins a subscription: goes on from the peer's cursor if nothing was lost since, else from a snapshot.
    ///
    /// The snapshot and the subscription's cursor are of one instant. A list whose snapshot does not fit `budget`
    /// bytes is sent as a first part; its cursor stays 0, which stands for nothing, until the last part is sent.
    package func subscribe(
        _ session: SessionID, to topic: Topic, name: String, mode: SubscriptionMode,
        since: Cursor?, budget: Int, _ effects: inout [Effect]
    ) -> SubscriptionStart {
        let reason = reasonForSnapshot(of: topic, since: since)
        if let since, reason == nil, since.revision > revision(of: topic),
            since.revision <= previousRun
        {
            settle(topic, &effects)
        }
        let subscription = Subscription(
            session: session, name: name, topic: topic, mode: mode, sent: 0)
        var snapshot: Push.Body?
        var more = false
        if reason != nil {
            (snapshot, more) = takeSnapshot(for: subscription, budget: budget)
        } else if let since {
            resume(subscription, at: since.revision)
        }
        subscribers[topic, default: 0] += 1
        return SubscriptionStart(
            subscription: subscription, reason: reason, snapshot: snapshot, more: more)
    }

    /// Ends a subscription; ending it twice has no effect.
    package func unsubscribe(_ subscription: Subscription) {
        guard !subscription.hasEnded else { return }
        subscription.hasEnded = true
        let rest = subscriberCount(of: subscription.topic) - 1
        subscribers[subscription.topic] = rest > 0 ? rest : nil
        if case .user(let id) = subscription.topic { dropIfPristine(id) }
    }

    /// Whether a subscriber is owed a line.
    package func isBehind(_ subscription: Subscription) -> Bool {
        subscription.sent < revision(of: subscription.topic)
    }

    /// The next line that a subscriber is owed, which counts as sent; nil if there is none.
    ///
    /// `budget` is how many bytes of movies fit a line.
    package func nextPush(for subscription: Subscription, budget: Int) -> Push? {
        guard isBehind(subscription) else { return nil }
        switch subscription.topic {
        case .user(let id):
            guard let history = users[id]?.history else { return nil }
            return nextTransition(of: history, for: subscription) { .userState($0) }
        case .engine:
            return nextTransition(of: engine, for: subscription) { .engine($0) }
        case .movies(let name):
            guard let list = lists[name] else { return nil }
            return nextChunk(of: list, for: subscription, budget: budget)
        }
    }

    // MARK: Beginning

    private func revision(of topic: Topic) -> UInt64 {
        switch topic {
        case .user(let id): users[id]?.history.revision ?? 0
        case .movies(let name): lists[name]?.revision ?? 0
        case .engine: engine.revision
        }
    }

    private func reasonForSnapshot(
        of topic: Topic, since: Cursor?
    ) -> SubscriptionStart.Reason? {
        guard let since else { return .noCursor }
        guard since.epoch == epoch else { return .epochChanged }
        guard since.revision <= revisions.last else { return .ahead }
        switch topic {
        case .user(let id):
            guard let history = users[id]?.history else { return nil }
            return history.count(through: since.revision) == nil ? .tooOld : nil
        case .engine:
            // The engine's life begins anew with each run.
            guard since.revision > previousRun else { return .tooOld }
            return engine.count(through: since.revision) == nil ? .tooOld : nil
        case .movies(let name):
            guard let list = lists[name] else { return nil }
            return list.hasBegunAnew(since: since.revision, previousRun: previousRun)
                ? .listReset : nil
        }
    }

    /// Makes the state that is shown a new change, for a peer that saw a later one which an earlier run did not keep.
    private func settle(_ topic: Topic, _ effects: inout [Effect]) {
        switch topic {
        case .user(let id):
            machine(id).settle(&revisions, &effects)
        case .movies(let name): lists[name]?.settle(&revisions, &effects)
        case .engine: break
        }
    }

    private func resume(_ subscription: Subscription, at revision: UInt64) {
        subscription.sent = revision
        switch subscription.topic {
        case .user(let id):
            subscription.seenTransitions = users[id]?.history.count(through: revision) ?? 0
        case .engine:
            subscription.seenTransitions = engine.count(through: revision) ?? 0
        case .movies(let name):
            subscription.generation = lists[name]?.generation ?? 0
            subscription.seenMovies =
                lists[name]?.count(at: revision, previousRun: previousRun) ?? 0
        }
    }

    private func takeSnapshot(
        for subscription: Subscription, budget: Int
    ) -> (Push.Body, more: Bool) {
        subscription.sent = revision(of: subscription.topic)
        switch subscription.topic {
        case .user(let id):
            subscription.seenTransitions = users[id]?.history.count ?? 0
            return (.userState(users[id]?.history.state ?? .initial), false)
        case .engine:
            subscription.seenTransitions = engine.count
            return (.engine(engine.state), false)
        case .movies(let name):
            guard let list = lists[name] else { return (.reset(name, 0..<0), false) }
            let range = list.stretch(from: 0, budget: budget)
            subscription.generation = list.generation
            subscription.seenMovies = range.upperBound
            let more = range.upperBound < list.movies.count
            if more { subscription.sent = 0 }
            return (.reset(name, range), more)
        }
    }

    // MARK: Going on

    private func nextTransition<State>(
        of history: History<State>, for subscription: Subscription,
        body: (State) -> Push.Body
    ) -> Push? {
        guard let newest = history.newest else { return nil }
        let next = history.entry(after: subscription.seenTransitions)
        let takesNext = subscription.mode == .all && next != nil
        let entry = takesNext ? next ?? newest : newest
        let through = takesNext ? subscription.seenTransitions + 1 : history.count
        let push = Push(
            previous: subscription.sent, revision: entry.revision, body: body(entry.state),
            skipped: through - subscription.seenTransitions - 1,
            gap: subscription.mode == .all && next == nil)
        subscription.sent = entry.revision
        subscription.seenTransitions = through
        return push
    }

    private func nextChunk(
        of list: MovieListMachine, for subscription: Subscription, budget: Int
    ) -> Push {
        let isReset = subscription.generation != list.generation
        let range = list.stretch(from: isReset ? 0 : subscription.seenMovies, budget: budget)
        let more = range.upperBound < list.movies.count
        let push = Push(
            previous: subscription.sent, revision: list.revision,
            body: isReset ? .reset(list.name, range) : .append(list.name, range), more: more)
        subscription.generation = list.generation
        subscription.seenMovies = range.upperBound
        if !more { subscription.sent = list.revision }
        return push
    }
}

extension MovieListMachine {
    /// The movies from a position on that fit a number of bytes, commas included; at most `limit` of them.
    ///
    /// The first one is always taken, since a line has room for any movie.
    package func stretch(from start: Int, budget: Int, limit: Int = .max) -> Range<Int> {
        let start = min(start, movies.count)
        var bytes = 0
        var end = start
        while end < movies.count, end - start < limit {
            bytes += movies[end].json.count + 1
            if bytes > budget && end > start { break }
            end += 1
        }
        return start..<end
    }
}
