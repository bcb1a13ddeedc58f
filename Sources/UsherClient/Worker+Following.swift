// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Subscriptions: which are open follows from who is observed, and this brings the one in line with
// the other.
extension Worker {
    /// How often one topic may start over on one connection, before the connection is given up.
    private static var resynchronisations: Int { 8 }

    var engineFollower: TopicFollower {
        guard let follower = followers[.engine] else {
            preconditionFailure("the engine's topic is followed for as long as the client lives")
        }
        return follower
    }

    /// Opens what is newly observed, and closes what is observed no longer.
    func updateInterest() {
        let (changes, feeds) = link.state.withLock { state in
            let changes = state.changedInterest
            state.changedInterest = [:]
            return (changes, changes.keys.map { state.feeds[$0] })
        }
        for ((topic, pagesBegan), feed) in zip(changes, feeds) {
            guard let feed else { continue }
            let follower = followers[topic] ?? TopicFollower(topic, feed: feed, of: link)
            followers[topic] = follower
            if pagesBegan { follower.beginPages() }
        }
        if isGreeted { for topic in changes.keys { follow(topic) } }
    }

    /// Brings one topic's subscription in line with whether it is observed.
    func follow(_ topic: FeedTopic) {
        guard let follower = followers[topic] else { return }
        let isWanted = topic == .engine || link.isObserved(topic)
        if isWanted, follower.name == nil {
            open(follower)
        } else if !isWanted, follower.name != nil {
            close(follower)
        }
    }

    /// Names are numbers that are used once, so that a late push of an earlier subscription is
    /// nobody's.
    private func open(_ follower: TopicFollower) {
        let id = expect(.subscription(follower.topic))
        let name = String(id)
        follower.name = name
        topics[name] = follower.topic
        link.send(
            Request.subscribe(
                id: id, topic: follower.topic.description, name: name, since: follower.cursor))
    }

    private func close(_ follower: TopicFollower) {
        guard let name = follower.name else { return }
        forget(name, of: follower)
        // The answer is one to nobody.
        link.send(Request.unsubscribe(id: link.state.withLock { $0.nextID() }, name: name))
    }

    private func forget(_ name: String, of follower: TopicFollower) {
        topics[name] = nil
        Int(name).map { expected[$0] = nil }
        follower.name = nil
        follower.isOpen = false
    }

    /// A change did not fit what is known: asks for the whole state again.
    func startOver(_ follower: TopicFollower) throws(ClientError) {
        follower.resynchronisations += 1
        guard follower.resynchronisations <= Self.resynchronisations else {
            throw WireDecoder.unexpected("changes of \(follower.topic) that do not follow on")
        }
        close(follower)
        follower.cursor = nil
        open(follower)
    }

    /// The daemon does not let this client follow a topic.
    func refuse(_ topic: FeedTopic, _ error: ClientError) {
        guard let follower = followers[topic], let name = follower.name else { return }
        forget(name, of: follower)
        if error.reason == "bad_cursor", follower.cursor != nil {
            follower.cursor = nil
            open(follower)
        } else {
            follower.fail(error)
        }
    }
}
