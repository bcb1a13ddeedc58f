// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// A connection, by the daemon's own number for it.
package struct SessionID: Sendable, Hashable {
    package let value: UInt64

    package init(value: UInt64) { self.value = value }
}

/// One peer's interest in one topic: a cursor, not a queue.
///
/// It holds what was sent last and nothing else; what is owed is found in the topic when it can be sent. It is a class
/// because it is listed both by topic and by connection; both live in one isolation.
package final class Subscription {
    package let session: SessionID
    package let name: String
    package let topic: Topic
    let mode: SubscriptionMode
    /// The revision of the cursor that the peer got last.
    package internal(set) var sent: UInt64
    /// For topics that are a state: how many of its transitions that cursor stands for.
    var seenTransitions = 0
    /// For lists: how many movies were sent, of which generation.
    var seenMovies = 0
    var generation: UInt64 = 0
    /// Whether it no longer counts among the subscribers of its topic.
    var hasEnded = false
    /// Where it stands in a list of all that its topic has, for whoever keeps one.
    package var position = 0

    init(session: SessionID, name: String, topic: Topic, mode: SubscriptionMode, sent: UInt64) {
        self.session = session
        self.name = name
        self.topic = topic
        self.mode = mode
        self.sent = sent
    }
}

/// What the reply to a new subscription says.
package struct SubscriptionStart {
    package let subscription: Subscription
    /// Why the subscription begins with a snapshot; nil if it goes on from the peer's cursor.
    package let reason: Reason?
    package let snapshot: Push.Body?
    /// The rest of the snapshot follows as pushes.
    package let more: Bool

    /// Why a subscription begins with a snapshot.
    package enum Reason: String, Sendable, CaseIterable {
        case noCursor = "no_cursor"
        case epochChanged = "epoch_changed"
        case listReset = "list_reset"
        case ahead
        case tooOld = "too_old"
    }
}

/// One line that a subscriber is owed.
package struct Push: Sendable {
    package enum Body: Sendable {
        case userState(UserState)
        /// Movies of the list as it is now, from the first of the range on.
        case append(MovieListName, Range<Int>)
        /// The same for a list that began anew.
        case reset(MovieListName, Range<Int>)
        case engine(EngineEvent?)
    }

    /// The cursor that the peer got last.
    package let previous: UInt64
    package let revision: UInt64
    package let body: Body
    /// How many transitions were left out.
    package var skipped = 0
    /// Transitions were lost to a peer that asked for all.
    package var gap = false
    /// Chunks follow; the peer keeps ``previous`` until the last one.
    package var more = false

    package init(
        previous: UInt64, revision: UInt64, body: Body, skipped: Int = 0, gap: Bool = false,
        more: Bool = false
    ) {
        self.previous = previous
        self.revision = revision
        self.body = body
        self.skipped = skipped
        self.gap = gap
        self.more = more
    }
}
