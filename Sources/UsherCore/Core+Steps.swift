// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// A topic's last change as one line: what most subscribers are owed when it happens, since they have all before it.
///
/// It is made once for all of them; a subscriber that is further behind, or is owed more than one line, gets what
/// ``Core/nextPush(for:budget:)`` finds for it.
package struct Step {
    package let push: Push
    /// How many transitions a subscriber has seen before and after it.
    fileprivate var transitions = 0..<0
    /// The same in movies, and of which generation.
    fileprivate var movies = 0..<0
    fileprivate var generation: UInt64 = 0
}

extension Core {
    /// The last change of a topic; nil if it does not fit one line, or subscribers get lines of their own.
    package func lastStep(of topic: Topic, budget: Int) -> Step? {
        switch topic {
        case .user(let id):
            guard let history = users[id]?.history, let newest = history.newest else { return nil }
            let push = Push(
                previous: history.previousRevision, revision: newest.revision,
                body: .userState(newest.state))
            return Step(push: push, transitions: history.count - 1..<history.count)
        case .movies(let name):
            guard let list = lists[name], list.revision != list.generation else { return nil }
            let range = list.stretch(from: list.previous.count, budget: budget)
            guard range.upperBound == list.movies.count else { return nil }
            let push = Push(
                previous: list.previous.revision, revision: list.revision,
                body: .append(name, range))
            return Step(push: push, movies: range, generation: list.generation)
        case .engine:
            return nil
        }
    }
}

extension Subscription {
    /// Whether a step is the next line that this subscriber is owed.
    package func isOwed(_ step: borrowing Step) -> Bool {
        sent == step.push.previous && seenTransitions == step.transitions.lowerBound
            && seenMovies == step.movies.lowerBound && generation == step.generation
    }

    /// Counts a step that the subscriber was owed as sent.
    package func take(_ step: borrowing Step) {
        sent = step.push.revision
        seenTransitions = step.transitions.upperBound
        seenMovies = step.movies.upperBound
    }
}
