// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Clients of all kinds that do the same again and again, and may be cut off anywhere: two rename users and make the list
/// grow, four keep up with what they see.
package final class Workload {
    package let history: History
    package private(set) var writers: [Writer] = []
    private var replicas: [Replica] = []
    private var rounds = 0

    package init(movies: Int = 104) {
        history = History(movies: movies)
        writers = (0..<2).map { Writer($0, history) }
    }

    /// Connects all to a daemon that was started, or started again; subscribers go on from their cursors.
    package func connect(to daemon: RunningDaemon) throws {
        for writer in writers { try writer.connect(daemon.connect()) }
        if replicas.isEmpty {
            replicas = try [
                ("user/0", "all"), ("user/0", "latest"), ("user/1", "all"), ("movies", "latest"),
            ]
            .map { Replica($0, mode: $1, on: try daemon.connect()) }
            for (replica, user) in zip(replicas, [0, 0, 1]) {
                replica.onState = { [history] state, cursor in
                    history.heard(state, of: user, at: cursor)
                }
            }
        }
        for replica in replicas { try follow(replica, on: daemon.connect()) }
        for user in 0...1 { try writers[0].fetch(user) }
        for writer in writers { try writer.catchUp() }
    }

    /// Lets a subscriber begin, or go on from its cursor, by a connection of its own.
    private func follow(_ replica: Replica, on client: LineClient) throws {
        let isFirst = replica.cursor == nil
        let reason = try replica.subscribe(on: client)
        if !isFirst, let reason, reason != "list_reset" {
            history.fault("\(replica.topic) went on by a snapshot: \(reason)")
        }
    }

    /// Cuts one subscriber off, with what it had not read, and lets it go on from its cursor.
    package func cutSubscriber(_ index: Int, of daemon: RunningDaemon) throws {
        let replica = replicas[index % replicas.count]
        replica.client.close()
        try follow(replica, on: daemon.connect())
    }

    /// Puts new subscribers, who know nothing, in the place of the old ones.
    package func renewSubscribers(of daemon: RunningDaemon) throws {
        for replica in replicas { replica.client.close() }
        replicas = []
        try connect(to: daemon)
    }

    /// Makes some changes at once and waits until everybody heard of them.
    package func round() throws {
        rounds += 1
        for _ in 0..<3 { try writers[0].rename(0) }
        for _ in 0..<2 { try writers[1].rename(0) }
        try writers[1].rename(1)
        try writers[1].repeatRename()
        if rounds.isMultiple(of: 2) { try writers[0].growList() }
        if rounds.isMultiple(of: 7) { try writers[1].refresh() }
        for writer in writers { try writer.catchUp() }
        for replica in replicas { try replica.catchUp() }
    }

    /// Takes what was under way when the daemon ended.
    package func takeRest() throws {
        for writer in writers { try writer.takeRest() }
        for replica in replicas { try replica.takeRest() }
    }

    /// Compares what the subscribers have with what the daemon says, which is at rest.
    package func compare(with daemon: RunningDaemon) throws {
        let reader = try daemon.connect()
        for replica in replicas {
            try replica.catchUp()
            let isSame =
                replica.topic == "movies"
                ? try replica.movies == reader.wholeList().movies
                : try replica.state
                    == reader.ask(
                        #"{"id":1,"method":"user.get","params":{"user":\#(replica.topic.suffix(1))}}"#
                    )[
                        "result", "state"]
            if !isSame {
                history.fault("a subscriber of \(replica.topic) has something else than the daemon")
            }
        }
    }
}
