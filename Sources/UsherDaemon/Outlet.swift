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
    fileprivate let head: [UInt8]

    /// `neighbour` is another one of the topic, which most often has the same head, and shares it then.
    init(_ subscription: Subscription, of session: Session, neighbour: Outlet?) {
        self.subscription = subscription
        self.session = session
        connection = session.connection
        var writer = JSONWriter()
        writer.pushHead(subscription)
        if let neighbour, neighbour.head == writer.bytes {
            head = neighbour.head
        } else {
            head = writer.bytes
        }
    }

    /// Sends a step if it is all that is owed and the connection takes it at once.
    func send(_ step: borrowing Step, as line: borrowing SharedLine, unsentLimit: Int) -> Bool {
        guard !session.holdsPushes, subscription.isOwed(step) else { return false }
        let isTaken =
            line.head == head
            ? connection.write(lastOf: line.output, unlessUnsentAbove: unsentLimit)
            : connection.write(head, line.tail, unlessUnsentAbove: unsentLimit)
        if isTaken { subscription.take(step) }
        return isTaken
    }
}

/// A push as it goes to all of a topic's outlets: what is the same for each, and the whole line as most of them get it.
struct SharedLine {
    fileprivate let head: [UInt8]
    fileprivate let tail: [UInt8]
    /// The whole line is the last piece of it.
    fileprivate let output: SharedOutput

    /// A line for these outlets.
    init(to outlets: [Outlet], tail: [UInt8], in output: inout SharedOutput) {
        self.tail = tail
        // For a few it is cheaper to copy the pieces.
        head = outlets.count < Self.leastOutlets ? [] : outlets[0].head
        if !head.isEmpty {
            SharedOutput.renew(&output)
            output.append(head, tail)
        }
        self.output = output
    }

    private static let leastOutlets = 4
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
        let outlet = Outlet(subscription, of: session, neighbour: lists[subscription.topic]?.last)
        lists[subscription.topic, default: []].append(outlet)
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
