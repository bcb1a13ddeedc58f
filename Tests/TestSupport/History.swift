// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The one judge of the tests that break things: it is told what clients sent and what they heard, and asks the daemon
/// whether it stands by that.
///
/// Its model of a user is a map from revisions to names, its model of the list a cursor with a count. So a change that
/// was acknowledged and is gone, one that nobody sent or that came twice, and two peers who were told different things
/// of one revision all show. Names have to be made by ``Name``, the list's movies to be numbered from 1.
package final class History {
    /// What does not hold, in words.
    package private(set) var faults: [String] = []
    /// Changes that were acknowledged.
    package private(set) var acknowledged = 0
    /// Changes that were acknowledged, or shown, and are gone.
    package private(set) var lost = 0
    package private(set) var audits = 0
    /// How many movies the service has; its pages have twenty, the last one fewer.
    private let serviceSize: Int
    private var epoch: Substring?
    private var users: [Int: UserHistory] = [:]
    private var list = ListHistory()

    /// For a daemon whose movies are the sample, or a file with so many.
    package init(movies serviceSize: Int = 104) { self.serviceSize = serviceSize }

    /// What a client renames a user to: no two renames have the same.
    package struct Name: Hashable, CustomStringConvertible {
        let writer: Int
        let number: Int

        init(writer: Int, number: Int) {
            self.writer = writer
            self.number = number
        }

        /// Nil for a name that no client of a test gave.
        init?(_ text: String) {
            guard let match = text.wholeMatch(of: /w(\d+) n(\d+)/), let writer = Int(match.1),
                let number = Int(match.2)
            else { return nil }
            self.init(writer: writer, number: number)
        }

        package var description: String { "w\(writer) n\(number)" }
    }

    private struct UserHistory {
        /// Names that were sent and not yet seen in the daemon's own account.
        var sent: Set<Name> = []
        /// What somebody heard, by revision; whether it has to be kept for ever.
        var heard: [UInt64: (name: String, isKept: Bool)] = [:]
        /// The last change that was acknowledged to each writer.
        var lastAcknowledged: [Int: UInt64] = [:]
        /// The last name of each writer in the daemon's own account.
        var lastApplied: [Int: Int] = [:]
        /// Up to where the daemon's own account was heard, and the name there.
        var audited: UInt64 = 0
        var name = ""
    }

    private struct ListHistory {
        /// The last page that was acknowledged since the last audit.
        var acknowledged: (revision: UInt64, cursor: String, count: Int)?
        var mayHaveBeenReset = false
    }

    // MARK: What clients sent and heard

    package func sent(_ name: Name, to user: Int) {
        users[user, default: .init()].sent.insert(name)
    }

    package func sentRefresh() { list.mayHaveBeenReset = true }

    /// Notes the answer to a rename.
    package func acknowledged(_ name: Name, of user: Int, at cursor: String) {
        guard let revision = revision(of: cursor) else { return }
        acknowledged += 1
        let last = users[user]?.lastAcknowledged.updateValue(revision, forKey: name.writer) ?? 0
        if revision <= last { fault("user \(user): \(name) at \(revision), behind \(last)") }
        // What was repeated may have been in the daemon's account already: there, and nowhere else.
        if let user = users[user], revision <= user.audited, user.heard[revision] == nil,
            revision + Self.remembered > user.audited
        {
            fault("\(name) was acknowledged at \(revision), where there is nothing")
        }
        hear("\(name)", isKept: true, of: user, at: revision)
    }

    /// Notes a state that a subscriber was shown; a loaded one is kept.
    package func heard(_ state: JSON, of user: Int, at cursor: String) {
        guard let revision = revision(of: cursor), revision > 0 else { return }
        let name = state["user", "name"].string
        hear(name ?? state["state"].string ?? "", isKept: name != nil, of: user, at: revision)
    }

    /// Notes the answer to a fetch of a page.
    package func acknowledgedPage(total: Int, at cursor: String) {
        guard let revision = revision(of: cursor) else { return }
        acknowledged += 1
        if revision > list.acknowledged?.revision ?? 0 {
            list.acknowledged = (revision, cursor, total)
        }
    }

    /// Says that the daemon lost its store with its owner's knowledge: a new history begins.
    package func expectNewEpoch() {
        epoch = nil
        users = [:]
        list = ListHistory()
    }

    package func fault(_ text: String) { faults.append(text) }

    private func hear(_ name: String, isKept: Bool, of user: Int, at revision: UInt64) {
        let before = users[user, default: .init()].heard.updateValue(
            (name, isKept), forKey: revision)
        if let before, before.name != name {
            fault("user \(user) was told to be both \(before.name) and \(name) at \(revision)")
        }
    }

    private func revision(of cursor: String) -> UInt64? {
        let parts = cursor.split(separator: ":")
        guard parts.count == 2, let revision = UInt64(parts[1]) else {
            fault("no cursor: \(cursor)")
            return nil
        }
        if let epoch, epoch != parts[0] { fault("the epoch \(epoch) became \(parts[0])") }
        epoch = parts[0]
        return revision
    }

    // MARK: What the daemon says

    /// Asks the daemon for its own account and compares.
    package func audit(_ daemon: RunningDaemon) throws {
        try audit { try daemon.connect() }
    }

    /// The same by connections that somebody else makes.
    package func audit(on connect: () throws -> LineClient) throws {
        audits += 1
        guard let epoch else { return }
        for user in users.keys.sorted() { try audit(user, since: epoch, on: connect()) }
        try auditList(on: connect())
    }

    private func audit(_ user: Int, since epoch: Substring, on client: LineClient) throws {
        guard var history = users[user] else { return }
        let start = "\(epoch):\(history.audited)"
        let replica = Replica("user/\(user)", mode: "all", since: start, on: client)
        var account: [(revision: UInt64, name: String)] = []
        replica.onState = { [self] state, cursor in
            guard let revision = revision(of: cursor), revision > 0 else { return }
            account.append((revision, state["user", "name"].string ?? ""))
            heard(state, of: user, at: cursor)
        }
        if let reason = try replica.subscribe() {
            fault("user \(user): what came up to \(history.audited) is gone: \(reason)")
        }
        try replica.catchUp()
        if replica.gaps > 0 { fault("user \(user): audited too rarely") }

        history.heard = users[user]?.heard ?? [:]
        let revisions = Set(account.map(\.revision))
        // A name that is in the account already may be shown once more, to who resumes after a crash: that is no change,
        // and goes to the store with the next one only.
        for (revision, told) in history.heard.sorted(by: { $0.key < $1.key })
        where told.isKept && told.name != history.name && revision > history.audited
            && !revisions.contains(revision)
        {
            lost += 1
            fault("user \(user): \(told.name) at \(revision) is lost")
        }
        for (revision, name) in account {
            if !name.isEmpty, name != history.name {
                apply(name, of: user, at: revision, to: &history)
            }
            history.audited = max(history.audited, revision)
        }
        // Subscribers that lag behind, or resume, are compared with this for a while.
        history.heard = history.heard.filter { $0.key + Self.remembered > history.audited }
        users[user] = history
    }

    /// Takes the next name of the daemon's account, which somebody has to have sent, once.
    private func apply(
        _ text: String, of user: Int, at revision: UInt64, to history: inout UserHistory
    ) {
        history.name = text
        guard let name = Name(text) else { return }
        if history.sent.remove(name) == nil {
            fault("user \(user): nobody sent \(name), or it came twice, at \(revision)")
        }
        let last = history.lastApplied.updateValue(name.number, forKey: name.writer) ?? -1
        if name.number <= last { fault("user \(user): \(name) came behind n\(last)") }
    }

    private func auditList(on client: LineClient) throws {
        let movies = try client.wholeList().movies
        let hasWholePages = movies.count.isMultiple(of: 20) || movies.count == serviceSize
        if movies != Array(1..<(movies.count + 1)) || !hasWholePages {
            fault("the list has a hole, a duplicate or half a page: \(movies)")
        }
        if let acknowledged = list.acknowledged {
            let reply = try client.ask(
                #"{"id":1,"method":"subscribe","params":{"topic":"movies","since":"\#(acknowledged.cursor)"}}"#
            )
            let isThere = reply["result", "recovered"].boolean == true
            let reason = isThere ? nil : reply["result", "reason"].string ?? "\(reply)"
            let isExcused = reason == "list_reset" && list.mayHaveBeenReset
            if let reason, !isExcused {
                lost += 1
                fault("the page at \(acknowledged.cursor) is gone: \(reason)")
            } else if reason == nil, movies.count < acknowledged.count {
                lost += 1
                fault("of \(acknowledged.count) movies \(movies.count) are left")
            }
        }
        list = ListHistory()
    }

    /// For how many revisions what was heard is remembered after an audit.
    private static let remembered: UInt64 = 20_000
}
