// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherWire

/// The push that was encoded last, since the next subscriber most often gets the same one.
struct EncodedPush {
    private var line = Line()
    private(set) var tail = JSONWriter()

    /// What tells one push from all others: all else follows from these.
    private struct Line: Equatable {
        var topic = Topic.engine
        var previous: UInt64 = 0
        var revision: UInt64 = 0
        var skipped = 0
        var gap = false
        var more = false
        var movies: Range<Int>?

        /// None: no push has the revision 0 and all else as here.
        init() {}

        init(_ push: Push, of topic: Topic) {
            self.topic = topic
            previous = push.previous
            revision = push.revision
            skipped = push.skipped
            gap = push.gap
            more = push.more
            movies =
                switch push.body {
                case .append(_, let range), .reset(_, let range): range
                case .userState, .engine: nil
                }
        }
    }

    /// Encodes a push, unless it is the one that was encoded last.
    mutating func encode(
        _ push: Push, of topic: Topic, _ users: borrowing UserResults, _ core: Core
    ) {
        let line = Line(push, of: topic)
        if line == self.line { return }
        self.line = line
        var state: ArraySlice<UInt8>?
        if case .user(let id) = topic { state = users.state(of: id, revision: push.revision) }
        tail.reset()
        tail.pushTail(push, state: state, core)
    }
}

extension Daemon {
    /// Sends a topic's last change to all who want to hear of it.
    func broadcast(_ topic: Topic) {
        guard let outlets = outlets[topic] else { return }
        guard let step = core.lastStep(of: topic, budget: Self.moviesBudget) else {
            for outlet in outlets { outlet.session.push(outlet.subscription) }
            return
        }
        lastPush.encode(step.push, of: topic, userResults, core)
        let line = SharedLine(to: outlets, tail: lastPush.tail.bytes, in: &sharedOutput)
        var pushes = 0
        for outlet in outlets {
            if outlet.send(step, as: line, unsentLimit: limits.unsentBytes) {
                pushes += 1
            } else {
                outlet.session.push(outlet.subscription)
            }
        }
        statistics.pushes += pushes
    }

    /// Writes a push to a connection; what is the same for all subscribers is encoded once.
    func write(_ push: Push, for subscription: Subscription, to connection: Connection) {
        statistics.pushes += 1
        statistics.skipped += push.skipped
        scratch.reset()
        scratch.pushHead(subscription)
        connection.write(scratch.bytes)
        if let own = ownVersion(of: push) {
            scratch.reset()
            scratch.pushTail(own, core)
            connection.write(scratch.bytes)
        } else {
            lastPush.encode(push, of: subscription.topic, userResults, core)
            connection.write(lastPush.tail.bytes)
        }
    }

    /// The announcement of the end as one peer gets it: with a delay of its own before it may come back.
    private func ownVersion(of push: Push) -> Push? {
        guard case .engine(let event?) = push.body, event.step == .stop else { return nil }
        let own = EngineEvent(
            step: .stop, phase: event.phase, reason: event.reason,
            reconnectAfterMilliseconds: reconnectDelays.next())
        return Push(
            previous: push.previous, revision: push.revision, body: .engine(own),
            skipped: push.skipped, gap: push.gap)
    }
}
