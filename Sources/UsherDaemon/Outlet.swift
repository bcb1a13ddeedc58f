// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherWire

/// A subscription together with the connection it is pushed to and the bytes that each of its pushes begins with.
///
/// A change goes to a thousand of these in a row, so they stand in one flat array a topic, and nothing is looked up
/// or encoded for each.
final class Outlet {
    let subscription: Subscription
    let session: Session
    private let connection: Connection
    private let head: [UInt8]

    init(_ subscription: Subscription, of session: Session) {
        self.subscription = subscription
        self.session = session
        connection = session.connection
        var writer = JSONWriter()
        writer.pushHead(subscription)
        head = writer.bytes
    }

    /// Sends a step, given as what follows the head, if it is all that is owed and the connection takes it at once.
    func send(_ step: borrowing Step, _ tail: [UInt8], unsentLimit: Int) -> Bool {
        guard !session.holdsPushes, subscription.isOwed(step),
            connection.write(head, tail, unlessUnsentAbove: unsentLimit)
        else { return false }
        subscription.take(step)
        return true
    }
}

/// Where the changes of each topic go.
///
/// Joining and leaving take no longer with many subscribers than with few, so that nobody can keep the daemon busy by
/// coming and going; the order of a topic's outlets is therefore of no meaning.
struct Outlets {
    private var lists: [Topic: [Outlet]] = [:]

    subscript(topic: Topic) -> [Outlet]? { lists[topic] }

    mutating func add(_ subscription: Subscription, of session: Session) {
        subscription.position = lists[subscription.topic]?.count ?? 0
        lists[subscription.topic, default: []].append(Outlet(subscription, of: session))
    }

    mutating func remove(_ subscription: Subscription) {
        let topic = subscription.topic
        guard let last = lists[topic]?.popLast() else { return }
        if last.subscription !== subscription {
            last.subscription.position = subscription.position
            lists[topic]?[subscription.position] = last
        } else if lists[topic]?.isEmpty == true {
            lists[topic] = nil
        }
    }
}
