// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherCore
internal import UsherWire

extension StoreDatabase {
    /// Reads all that is stored; a row that makes no sense is damage, and is not passed over.
    static func load(from database: Database) throws(SQLiteFailure) -> StoredState {
        let meta = try database.prepare("SELECT epoch, reserved FROM meta")
        guard try meta.step(), let epoch = Epoch(meta.text(0)) else {
            throw .corrupt("the epoch is missing")
        }
        return StoredState(
            epoch: epoch, reservedThrough: try meta.revision(1), users: try users(in: database),
            lists: try lists(in: database), requests: try RequestTable.load(from: database))
    }

    private static func users(
        in database: Database
    ) throws(SQLiteFailure) -> [StoredState.StoredUser] {
        let rows = try database.prepare(
            "SELECT id, name, username, phone, rename FROM users ORDER BY id")
        let history = try database.prepare(
            """
            SELECT revision, state, id, name, username, phone, message FROM transitions
            WHERE user = ?1 ORDER BY revision
            """)
        var users: [StoredState.StoredUser] = []
        while try rows.step() {
            let record = UserRecord(user: rows.user(at: 0), rename: rows.optionalText(4))
            var transitions: [Transition] = []
            try history.bind(1, record.user.id)
            while try history.step() { transitions.append(try history.transition()) }
            users.append(StoredState.StoredUser(record: record, transitions: transitions))
        }
        return users
    }

    private static func lists(
        in database: Database
    ) throws(SQLiteFailure) -> [StoredState.StoredList] {
        let rows = try database.prepare(
            "SELECT name, generation, revision, page, pages, complete FROM lists ORDER BY name")
        let content = try database.prepare(
            "SELECT id, json, revision, position FROM movies WHERE list = ?1 ORDER BY position")
        var lists: [StoredState.StoredList] = []
        while try rows.step() {
            var list = StoredState.StoredList(
                name: MovieListName(rawValue: rows.text(0)), generation: try rows.revision(1),
                progress: MovieListProgress(
                    revision: try rows.revision(2), page: Int(rows.integer(3)),
                    pages: Int(rows.integer(4)), isComplete: rows.integer(5) != 0),
                movies: [], marks: [])
            try content.bind(1, list.name.rawValue)
            while try content.step() {
                guard content.integer(3) == Int64(list.movies.count) else {
                    throw .corrupt("\(list.name) lacks the movie at \(list.movies.count)")
                }
                list.movies.append(EncodedMovie(id: content.integer(0), json: content.bytes(1)))
                list.mark(try content.revision(2))
            }
            lists.append(list)
        }
        return lists
    }
}

extension StoredState.StoredList {
    /// Notes that the last movie came with the change of `revision`.
    fileprivate mutating func mark(_ revision: UInt64) {
        if marks.last?.revision == revision { marks.removeLast() }
        marks.append(StoredState.Mark(revision: revision, count: movies.count))
    }
}

extension Statement {
    func revision(_ column: Int32) throws(SQLiteFailure) -> UInt64 {
        guard let revision = UInt64(exactly: integer(column)) else {
            throw .corrupt("a revision is negative")
        }
        return revision
    }

    /// Four columns: id, name, username, phone.
    func user(at column: Int32) -> User {
        User(
            id: integer(column), name: text(column + 1), username: text(column + 2),
            phone: optionalText(column + 3))
    }

    fileprivate func transition() throws(SQLiteFailure) -> Transition {
        let state: UserState =
            switch text(1) {
            case "initial": .initial
            case "loading": .loading
            case "loaded": .loaded(user(at: 2))
            case "error": .error(text(6))
            default: throw .corrupt("a user is in the state \(text(1))")
            }
        return Transition(revision: try revision(0), state: state)
    }
}
