// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// The last transitions of a topic that is a state, shared by all its subscribers.
///
/// A subscriber holds a place in it, which is a number and nothing more, so that one that does not read costs nothing.
package struct History<State: Sendable>: Sendable {
    package struct Entry: Sendable {
        package let revision: UInt64
        package let state: State
    }

    /// The state before the first transition.
    private let initial: State?
    /// The newest transitions, oldest first.
    ///
    /// Up to twice the limit, so that dropping the old ones costs little.
    private var entries: [Entry]
    /// How many transitions there were before the first of ``entries``.
    private var dropped = 0
    /// Everything after this revision is in ``entries``.
    private var floor: UInt64

    /// A history that begins with `entries`; if it is as long as the limit, older ones may be missing.
    package init(initial: State?, entries: [Entry] = []) {
        self.initial = initial
        self.entries = entries
        floor = entries.count < Limits.historyTransitions ? 0 : entries[0].revision
        revision = entries.last?.revision ?? 0
        previousRevision = entries.dropLast().last?.revision ?? 0
    }

    /// The last transition's revision; 0 if there was none.
    package private(set) var revision: UInt64
    /// The revision before that.
    private(set) var previousRevision: UInt64 = 0

    /// The state now; nil only for topics that begin without one.
    package var state: State? { entries.last?.state ?? initial }

    /// How many transitions there were.
    package var count: Int { dropped + entries.count }

    package mutating func append(_ state: State, revision: UInt64) {
        precondition(revision > self.revision, "revisions of a topic only grow")
        entries.append(Entry(revision: revision, state: state))
        previousRevision = self.revision
        self.revision = revision
        guard entries.count >= Limits.historyTransitions * 2 else { return }
        let surplus = entries.count - Limits.historyTransitions
        floor = entries[surplus - 1].revision
        entries.removeFirst(surplus)
        dropped += surplus
    }

    /// How many transitions there were up to a revision; nil if that is too long ago to tell.
    package func count(through revision: UInt64) -> Int? {
        guard revision >= floor else { return nil }
        return dropped + entries.count { $0.revision <= revision }
    }

    /// The transition after the first `count`; nil if it is no longer, or not yet, there.
    package func entry(after count: Int) -> Entry? {
        let index = count - dropped
        // What the topic promises to remember, not what happens to be left.
        guard index >= 0, index >= entries.count - Limits.historyTransitions,
            index < entries.count
        else { return nil }
        return entries[index]
    }

    /// The newest transition.
    package var newest: Entry? { entries.last }
}
