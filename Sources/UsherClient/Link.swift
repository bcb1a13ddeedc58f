// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// The client is one thread and what it shares with everybody else. The thread (`Worker`) connects,
// reads, folds what it reads into the streams, and calls observers. A `Link` is the shared part:
// callers leave their requests here, streams leave word that they are observed, and the lock is
// held for a moment only, never while a stream is touched or a task is resumed.

import Foundation
import UsherStreams
import UsherWire

/// What a client's thread and its callers share.
final class Link: Sendable {
    let search: SocketSearch
    let name: String
    let options: UsherClient.Options
    let connection = StateStream(ConnectionState.connecting)
    let engine = EventStream<EngineEvent>()
    let bell = Bell()
    let state = Guarded(State())
    private let delegate = Guarded(WeakDelegate())

    struct State: Sendable {
        var isClosed = false
        /// Ids are used once in the client's life, so that no answer can reach a wrong request.
        var lastID = 0
        var feeds: [FeedTopic: Feed] = [:]
        /// How many of a topic's streams are observed.
        var observedStreams: [FeedTopic: Int] = [:]
        /// Topics whose observers came or went since the thread looked last, and whether the pages
        /// of a list got their first observer: an entry a topic, however often they come and go.
        var changedInterest: [FeedTopic: Bool] = [:]
        var calls = CallQueue()
        var output = Output()
        /// Whether the daemon has greeted on this connection, so that requests may be sent.
        var isGreeted = false
        /// Whether there ever was a connection.
        var wasGreeted = false
        /// Why there is no connection.
        var failure: ClientError?
    }

    private struct WeakDelegate: Sendable {
        weak var delegate: (any EngineDelegate)?
    }

    init(search: SocketSearch, name: String?, options: UsherClient.Options) {
        self.search = search
        self.name = name ?? ProcessInfo.processInfo.processName
        self.options = options
    }

    /// Starts the thread, which keeps the link alive until it is closed.
    func start() {
        let thread = Thread { Worker(self).run() }
        thread.name = "usher-client"
        thread.start()
    }

    /// Ends the thread, which then ends everything else.
    func close() {
        state.withLock { $0.isClosed = true }
        bell.ring()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var engineDelegate: (any EngineDelegate)? {
        get { delegate.withLock { $0.delegate } }
        set { delegate.withLock { $0.delegate = newValue } }
    }
}

// MARK: Streams

extension Link {
    func userStream(_ topic: FeedTopic) -> StateStream<UserState> {
        let candidate = StateStream(UserState.initial)
        guard case .user(let stream) = feed(topic, candidate: .user(candidate)) else {
            preconditionFailure("the topic \(topic) is not a user's")
        }
        if stream === candidate { watch(stream.whenObserved, topic) }
        return stream
    }

    func listStreams(_ list: MovieListName) -> ListStreams {
        let topic = FeedTopic.movies(list)
        let candidate = ListStreams()
        guard case .list(let streams) = feed(topic, candidate: .list(candidate)) else {
            preconditionFailure("the topic \(topic) is not a list's")
        }
        if streams.movies === candidate.movies {
            watch(streams.movies.whenObserved, topic)
            watch(streams.pages.whenObserved, topic, isPages: true)
        }
        return streams
    }

    /// The feed of a topic; the candidate if there is none yet.
    private func feed(_ topic: FeedTopic, candidate: Feed) -> Feed {
        let (feed, isClosed) = state.withLock { state in
            if let feed = state.feeds[topic] { return (feed, state.isClosed) }
            state.feeds[topic] = candidate
            return (candidate, state.isClosed)
        }
        if isClosed { feed.finish() }
        return feed
    }

    private func watch(
        _ whenObserved: (@escaping @Sendable (Bool) -> Void) -> Void, _ topic: FeedTopic,
        isPages: Bool = false
    ) {
        whenObserved { [weak self] isObserved in
            self?.note(topic, isObserved: isObserved, isPages: isPages)
        }
    }

    private func note(_ topic: FeedTopic, isObserved: Bool, isPages: Bool) {
        state.withLock { state in
            state.observedStreams[topic, default: 0] += isObserved ? 1 : -1
            let pagesBegan = state.changedInterest[topic] ?? false
            state.changedInterest[topic] = pagesBegan || isPages && isObserved
        }
        bell.ring()
    }
}
