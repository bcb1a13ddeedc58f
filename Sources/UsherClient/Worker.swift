// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherStreams

/// The client's thread: it connects, listens, and connects again, until the link is closed.
///
/// Everything in here belongs to the one thread that calls `run()`. It sleeps in `Readiness.wait`,
/// which a ring of the link's bell ends.
final class Worker {
    let link: Link
    var followers: [FeedTopic: TopicFollower] = [:]
    /// The topic of each subscription's name.
    var topics: [String: FeedTopic] = [:]
    /// The thread's own requests that were not answered yet.
    var expected: [Int: Expectation] = [:]
    var framer = LineFramer()
    /// Why the daemon ends the connection, if it has said so.
    var farewell: ClientError?
    private var buffer = [UInt8](repeating: 0, count: Socket.receiveBytes)
    private var backoff: Backoff
    private var greetedAt: ContinuousClock.Instant?

    struct Expectation {
        enum Answer {
            case greeting
            case subscription(FeedTopic)
        }

        let answer: Answer
        let deadline: ContinuousClock.Instant
    }

    init(_ link: Link) {
        self.link = link
        backoff = Backoff(link.options)
        followers[.engine] = TopicFollower(.engine, feed: .engine, of: link)
    }

    func run() {
        while !link.isClosed {
            let beginning = ContinuousClock.now
            let failure = connectAndConverse()
            guard let failure, !link.isClosed else { break }
            rest(from: beginning, for: disconnect(failure))
        }
        link.end()
    }

    /// - Returns: Why there is no connection, or no longer; nil if the link was closed.
    private func connectAndConverse() -> ClientError? {
        link.connection.set(.connecting)
        do throws(ClientError) {
            let socket = try link.search.connect()
            link.state.withLock { $0.output.socket = socket }
            let id = expect(.greeting)
            link.send(Request.hello(id: id, name: link.name))
            try converse(over: socket)
            return nil
        } catch {
            return error
        }
    }

    /// Returns when the link was closed, and throws when the connection has ended.
    private func converse(over socket: Socket) throws(ClientError) {
        while true {
            updateInterest()
            let callsDue = link.expireCalls()
            guard !link.isClosed else { return }
            let answersDue = try checkExpected()
            let ready = Readiness.wait(
                bell: link.bell, socket: socket, toWrite: link.isSending,
                until: [callsDue, answersDue].compactMap(\.self).min())
            if ready.isWritable { link.state.withLock { $0.sendCalls() } }
            if ready.isReadable { try receive(from: socket) }
        }
    }

    private func receive(from socket: Socket) throws(ClientError) {
        let count: Int?
        do {
            count = try socket.receive(into: &buffer)
        } catch {
            throw Self.ended(farewell, underlying: error)
        }
        guard let count else { return }
        guard count > 0 else { throw Self.ended(farewell) }
        framer.append(buffer[..<count])
        while let item = framer.next() {
            guard case .line(let range) = item else {
                throw WireDecoder.unexpected("a line over the limit")
            }
            guard !link.isClosed else { return }
            try handleLine(range)
        }
    }

    /// Throws if an answer is overdue; otherwise tells when the next one is due.
    private func checkExpected() throws(ClientError) -> ContinuousClock.Instant? {
        guard let first = expected.values.min(by: { $0.deadline < $1.deadline }) else { return nil }
        guard first.deadline <= .now else { return first.deadline }
        throw ClientError(
            .timedOut,
            "the daemon accepts connections and does not answer; see whether it hangs, restart it",
            isRetryable: true)
    }

    /// Ends what belonged to the connection, and tells everybody.
    ///
    /// - Returns: How long to wait before the next attempt.
    private func disconnect(_ failure: ClientError) -> Duration {
        let requested = engineFollower.takeRequestedPause() ?? farewell?.retryAfter
        let lifetime = greetedAt.map { $0.duration(to: .now) } ?? .zero
        for follower in followers.values { follower.connectionEnded() }
        topics = [:]
        expected = [:]
        framer = LineFramer()
        farewell = nil
        greetedAt = nil
        link.connection.set(.disconnected(failure))
        link.lost(failure)
        return backoff.pause(afterConnectionOf: lifetime, requested: requested)
    }

    /// Waits before the next attempt.
    ///
    /// While there never was a connection, somebody who waits for the first one hastens it, within
    /// limits.
    private func rest(from beginning: ContinuousClock.Instant, for pause: Duration) {
        var end = ContinuousClock.now.advanced(by: pause)
        while !link.isClosed {
            updateInterest()
            let callsDue = link.expireCalls()
            if link.isFirstConnectionAwaited {
                end = min(end, beginning.advanced(by: link.options.reconnectBase))
            }
            guard ContinuousClock.now < end else { return }
            _ = Readiness.wait(bell: link.bell, until: min(end, callsDue ?? end))
        }
    }

    func expect(_ answer: Expectation.Answer) -> Int {
        let id = link.state.withLock { $0.nextID() }
        expected[id] = Expectation(
            answer: answer, deadline: .now.advanced(by: link.options.greetingTimeout))
        return id
    }

    /// The daemon has greeted: subscriptions are opened, and the requests that waited are sent.
    func greeted(by daemon: Daemon) {
        greetedAt = .now
        link.connection.set(.connected(daemon))
        for topic in followers.keys { follow(topic) }
        link.greeted()
    }

    var isGreeted: Bool { greetedAt != nil }

    private static func ended(
        _ farewell: ClientError?, underlying: (any Error)? = nil
    ) -> ClientError {
        let why = farewell.map { ": \($0.message)" } ?? ""
        return ClientError(
            .connectionLost, "the daemon ended the connection\(why)", reason: farewell?.reason,
            isRetryable: true, underlying: farewell ?? underlying)
    }
}
