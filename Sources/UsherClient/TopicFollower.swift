// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// A stream is a fold of the pushes: what came last, changed by what comes next. Each push says
// which cursor it follows on, so a follower can tell that it missed nothing; where it cannot, it
// starts over from a snapshot.

import UsherStreams
import UsherWire

/// One topic as the client's thread follows it: how far it has come, and where it is shown.
final class TopicFollower {
    let topic: FeedTopic
    let feed: Feed
    /// The subscription's name on this connection; nil when there is none.
    var name: String?
    /// Whether the daemon has confirmed the subscription.
    var isOpen = false
    /// How far the feed has come; nil when nothing is known.
    ///
    /// It is kept while nothing is subscribed.
    var cursor: String?
    /// How often the topic started over on this connection.
    var resynchronisations = 0
    private let link: Link
    private var engine = EngineSteps()

    init(_ topic: FeedTopic, feed: Feed, of link: Link) {
        self.topic = topic
        self.feed = feed
        self.link = link
    }

    /// The daemon has confirmed the subscription: it goes on from the cursor, or begins with a
    /// snapshot.
    func begin(_ json: [UInt8]) throws(ClientError) {
        switch feed {
        case .user(let stream):
            try begin(json) { (snapshot: WireUserState) in
                if stream.current != snapshot.state { stream.set(snapshot.state) }
            }
        case .list(let streams):
            try begin(json) { (snapshot: WireListChange) in streams.replace(by: snapshot) }
        case .engine:
            let isFirst = cursor == nil
            try begin(json) { (snapshot: WireEngineEvent) in
                engine.receive(snapshot: snapshot.event, isFirst: isFirst, over: link)
            }
        }
    }

    /// Folds a push into the feed.
    ///
    /// - Returns: Whether it fits what is known.
    func receive(_ json: [UInt8]) throws(ClientError) -> Bool {
        switch feed {
        case .user(let stream):
            try receive(json) { (state: WireUserState) in
                stream.set(state.state)
                return true
            }
        case .list(let streams):
            try receive(json) { (change: WireListChange) in streams.apply(change) }
        case .engine:
            try receive(json) { (event: WireEngineEvent) in
                if let event = event.event { engine.receive(event, over: link) }
                return true
            }
        }
    }

    /// The topic cannot be followed: the feed says why.
    func fail(_ error: ClientError) {
        cursor = nil
        switch feed {
        case .user(let stream): stream.set(.error(error.message))
        case .list(let streams):
            streams.movies.update {
                $0.status.phase = .error
                $0.status.message = error.message
            }
        case .engine: break
        }
    }

    /// Gives those who begin to observe pages what the list holds already.
    func beginPages() {
        guard cursor != nil, case .list(let streams) = feed else { return }
        let list = streams.movies.current
        streams.pages.send(
            MoviePage(offset: 0, movies: list.movies, status: list.status, startsOver: true))
    }

    /// The cursor stays, for the next connection.
    func connectionEnded() {
        name = nil
        isOpen = false
        resynchronisations = 0
        if topic == .engine { engine.connectionEnded(over: link) }
    }

    func takeRequestedPause() -> Duration? {
        engine.takeRequestedPause()
    }

    private func begin<Content: Decodable>(
        _ json: [UInt8], apply: (Content) -> Void
    ) throws(ClientError) {
        let reply: SubscribeReply<Content> = try WireDecoder.reply(json)
        guard reply.recovered || reply.snapshot != nil || topic == .engine else {
            throw WireDecoder.unexpected("a subscription without a snapshot")
        }
        if !reply.recovered, let snapshot = reply.snapshot { apply(snapshot) }
        cursor = reply.cursor
        isOpen = true
        link.note(isDegraded: reply.degraded ?? false)
    }

    private func receive<Content: Decodable>(
        _ json: [UInt8], apply: (Content) -> Bool
    ) throws(ClientError) -> Bool {
        let push: Push<Content> = try WireDecoder.reply(json)
        // Before the confirmation nothing is known that it could fit.
        guard isOpen else { return true }
        // The same line once more changes nothing.
        if push.cursor == cursor, push.more != true { return true }
        guard push.prev == cursor, Self.epoch(push.prev) == Self.epoch(push.cursor),
            apply(push.data)
        else { return false }
        if push.more != true { cursor = push.cursor }
        return true
    }

    private static func epoch(_ cursor: String) -> Substring {
        cursor.prefix { $0 != ":" }
    }
}

extension ListStreams {
    /// Replaces all that is known by the first stretch of a list.
    func replace(by change: WireListChange) {
        movies.set(MovieList(movies: change.movies, status: change.status))
        pages.send(
            MoviePage(offset: 0, movies: change.movies, status: change.status, startsOver: true))
    }

    /// Folds a change into the list; what is there already is not added again.
    ///
    /// - Returns: False if movies are missing before it.
    func apply(_ change: WireListChange) -> Bool {
        guard change.operation == .append else {
            guard change.start == 0 else { return false }
            replace(by: change)
            return true
        }
        let count = movies.current.movies.count
        guard change.start >= 0, change.start <= count else { return false }
        let new = Array(change.movies.dropFirst(count - change.start))
        // In place: the array is not shared at this moment, unless somebody keeps a copy of it.
        movies.update {
            $0.movies += new
            $0.status = change.status
        }
        guard !new.isEmpty else { return true }
        pages.send(MoviePage(offset: count, movies: new, status: change.status))
        return true
    }
}
