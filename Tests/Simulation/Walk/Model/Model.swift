// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The one thing that everything is held against: for each topic, the revisions that anybody ever saw and what was there
// at each; and what was promised. Peers report what they are told, the walk reports what it did to the daemon. Nothing
// is computed here as the daemon computes it: a promise is checked as a client could check it.

import UsherCore
import UsherWire

/// All that is known of the daemon's state, from outside.
final class Model {
    let disk: Disk
    let services: Services
    /// The history that revisions count in now.
    private(set) var epoch: Epoch
    var topics: [String: History] = [:]
    /// Names that were asked for by someone who may, answered or not, by user.
    private(set) var allowedNames: [Int64: Set<String>] = [:]
    /// Pages of movies that were acknowledged, by list: the answer that brought each, and the revision then.
    var acknowledgedPages: [String: [Int: UInt64]] = [:]
    /// What requests with a key were answered first.
    var answers: [Key: [String]] = [:]
    /// What users whose names were told skipped, to be checked when all is known.
    private var skips: [(topic: String, from: UInt64, through: UInt64, count: Int)] = []

    /// One topic.
    struct History {
        /// What was there at each revision that somebody saw.
        var bodies: [UInt64: String] = [:]
        /// The name of a loaded user at each revision.
        var names: [UInt64: String] = [:]
        /// The revision before, where a push told it and skipped none.
        var links: [UInt64: UInt64] = [:]
        /// The highest revision that anybody saw in this run.
        var head: UInt64 = 0
        /// The highest revision that was acknowledged.
        var acknowledged: UInt64 = 0
        /// The movies at a revision.
        var movies: [UInt64: [MadeUpMovie]] = [:]
    }

    init(_ disk: Disk, _ services: Services) {
        self.disk = disk
        self.services = services
        epoch = disk.synced.epoch
    }

    /// What was highest at an instant, for what is asked then.
    ///
    /// A user of whom nothing is known is forgotten with its last follower, revision and all.
    var heads: [String: UInt64] {
        topics.filter { $0.value.bodies[$0.value.head] != Self.initial }.mapValues(\.head)
    }

    private static let initial = "{state:\"initial\"}"

    /// The process was ended; what was shown and need not be durable may be gone.
    func restart() {
        topics = topics.mapValues { history in
            var history = history
            history.head = history.acknowledged
            return history
        }
    }

    /// The state was lost, and all promises with it.
    func loseAll(newEpoch: Epoch) {
        epoch = newEpoch
        topics = [:]
        skips = []
        acknowledgedPages = [:]
        answers = [:]
    }

    /// Notes that somebody who may asks for a name.
    func allow(_ name: String, for user: Int64) {
        allowedNames[user, default: []].insert(name)
    }

    /// Notes what somebody saw at a position of a topic.
    func note(_ topic: String, _ position: Position, body: String) throws(Violation) {
        try Violation.require(
            position.epoch == epoch, "O8: \(topic) has the epoch \(position.epoch), not \(epoch)")
        var history = topics[topic] ?? History()
        if let known = history.bodies[position.revision], known != body {
            throw Violation(
                "I6: revision \(position.revision) of \(topic) is \(body) and was \(known)")
        }
        history.bodies[position.revision] = body
        history.head = max(history.head, position.revision)
        topics[topic] = history
    }

    /// Notes that a revision of a topic was acknowledged as durable.
    func acknowledge(_ topic: String, _ position: Position) {
        let former = topics[topic]?.acknowledged ?? 0
        topics[topic]?.acknowledged = max(former, position.revision)
    }

    // MARK: Users

    /// Notes a user's state.
    func noteUser(_ id: Int64, _ position: Position, _ state: Value) throws(Violation) {
        let topic = "user/\(id)"
        guard position.revision > 0 else {
            return try Violation.require(
                state["state"].text == "initial", "\(topic) has a state without a revision")
        }
        try note(topic, position, body: state.canonical)
        guard let name = state["user"]["name"].text else { return }
        try Violation.require(
            state["user"]["id"].integer == id, "I14: \(topic) is told of another user")
        try Violation.require(
            disk.names[id]?.contains(name) == true, "O8: \(name) of \(topic) is not on disk")
        try Violation.require(
            services.names.contains(name) || allowedNames[id]?.contains(name) == true,
            "I2: nobody who may asked for \(name) as a name of \(topic)")
        topics[topic]?.names[position.revision] = name
    }

    /// Notes how a subscriber got from one revision of a user to another.
    func noteStep(
        _ topic: String, from: Position, through: Position, skipped: Int
    ) {
        guard from.run == through.run else { return }
        if skipped == 0 {
            topics[topic]?.links[through.revision] = from.revision
        }
        skips.append((topic, from.revision, through.revision, skipped))
    }

    /// Checks what only shows when all is known: each name comes once, and skipped transitions were counted right.
    func checkHistories() throws(Violation) {
        for (topic, history) in topics { try checkNames(of: topic, history) }
        for skip in skips {
            guard let history = topics[skip.topic] else { continue }
            let between = history.bodies.filter {
                $0.key > skip.from && $0.key < skip.through && !disk.resurrected.contains($0.key)
            }
            // What was forgotten with its last follower nobody can count.
            if between.values.contains(Self.initial) { continue }
            let seen = between.count
            try Violation.require(
                seen <= skip.count, "I5: \(skip.topic) skipped \(skip.count), and \(seen) were seen"
            )
            if let steps = history.steps(from: skip.from, through: skip.through) {
                try Violation.require(
                    steps == skip.count, "I5: \(skip.topic) skipped \(skip.count) of \(steps)")
            }
        }
        skips = []
    }

    /// A rename is there from one revision on, until another one; after the first, no other name is.
    private func checkNames(of topic: String, _ history: History) throws(Violation) {
        var former: Set<String> = []
        var last: String?
        let names = history.names.filter { !disk.resurrected.contains($0.key) }
        for (revision, name) in names.sorted(by: { $0.key < $1.key }) where name != last {
            if let last {
                former.insert(last)
                try Violation.require(
                    !services.names.contains(name) || services.names.contains(last),
                    "I1: \(topic) was renamed \(last), and is \(name) at \(revision)")
            }
            try Violation.require(
                !former.contains(name),
                "I2: \(topic) is \(name) again at \(revision), after \(last ?? "")")
            last = name
        }
    }
}

extension Model.History {
    /// How many revisions are between two, if it is known how one leads to the other.
    fileprivate func steps(from: UInt64, through: UInt64) -> Int? {
        var revision = through
        var steps = -1
        while revision > from {
            guard let former = links[revision] else { return nil }
            revision = former
            steps += 1
        }
        return revision == from ? steps : nil
    }
}
