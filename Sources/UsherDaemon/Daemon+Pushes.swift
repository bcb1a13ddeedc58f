// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherWire

/// The push that was encoded last, since the next subscriber most often gets the same one.
struct EncodedPush {
    private var topic: Topic?
    private var push: Push?
    private(set) var tail = JSONWriter()

    /// Encodes a push, unless it is the one that was encoded last.
    mutating func encode(_ push: Push, of topic: Topic, _ core: Core) {
        if let last = self.push, self.topic == topic, last.isSame(as: push) { return }
        self.topic = topic
        self.push = push
        tail.reset()
        tail.pushTail(push, of: topic, core)
    }
}

extension Push {
    /// Whether two pushes of one topic are one line: all else follows from these.
    fileprivate func isSame(as other: Push) -> Bool {
        previous == other.previous && revision == other.revision && skipped == other.skipped
            && gap == other.gap && more == other.more && body.range == other.body.range
    }
}

extension Push.Body {
    fileprivate var range: Range<Int>? {
        switch self {
        case .append(_, let range), .reset(_, let range): range
        case .userState, .engine: nil
        }
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
        lastPush.encode(step.push, of: topic, core)
        let tail = lastPush.tail.bytes
        var pushes = 0
        for outlet in outlets {
            if outlet.send(step, tail, unsentLimit: limits.unsentBytes) {
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
        scratch.raw("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"as\":")
        scratch.string(subscription.name)
        connection.write(scratch.bytes)
        if let own = ownVersion(of: push) {
            scratch.reset()
            scratch.pushTail(own, of: subscription.topic, core)
            connection.write(scratch.bytes)
        } else {
            lastPush.encode(push, of: subscription.topic, core)
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
