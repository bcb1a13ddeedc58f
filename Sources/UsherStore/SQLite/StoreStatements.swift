// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherCore
internal import UsherWire

/// The statements that changes are written with, prepared once.
struct StoreStatements {
    let putUser: Statement
    let addTransition: Statement
    let trimTransitions: Statement
    let appendToList: Statement
    let resetList: Statement
    let dropMovies: Statement
    let countMovies: Statement
    let addMovie: Statement
    let reserve: Statement
    let requests: RequestTable
    let begin: Statement
    let probe: Statement
    let markClean: Statement
    let checkpoint: Statement

    init(_ database: Database) throws(SQLiteFailure) {
        putUser = try database.prepare("INSERT OR REPLACE INTO users VALUES (?1, ?2, ?3, ?4, ?5)")
        addTransition = try database.prepare(
            "INSERT INTO transitions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
        trimTransitions = try database.prepare(
            """
            DELETE FROM transitions WHERE user = ?1 AND revision <= (
                SELECT revision FROM transitions WHERE user = ?1
                ORDER BY revision DESC LIMIT 1 OFFSET \(Limits.historyTransitions))
            """)
        appendToList = try database.prepare(
            """
            INSERT INTO lists VALUES (?1, 0, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET
                revision = excluded.revision, page = excluded.page, pages = excluded.pages,
                complete = excluded.complete
            """)
        resetList = try database.prepare(
            "INSERT OR REPLACE INTO lists VALUES (?1, ?2, ?2, ?3, ?4, ?5)")
        dropMovies = try database.prepare("DELETE FROM movies WHERE list = ?1")
        countMovies = try database.prepare(
            "SELECT ifnull(max(position) + 1, 0) FROM movies WHERE list = ?1")
        addMovie = try database.prepare("INSERT INTO movies VALUES (?1, ?2, ?3, ?4, ?5)")
        reserve = try database.prepare("UPDATE meta SET reserved = max(reserved, ?1)")
        requests = try RequestTable(database)
        begin = try database.prepare("UPDATE meta SET epoch = ?1, reserved = ?2, clean = 0")
        // The number has to change: SQLite does not write a page that stays as it is.
        probe = try database.prepare("UPDATE meta SET probes = probes + 1")
        markClean = try database.prepare("UPDATE meta SET clean = 1")
        checkpoint = try database.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

extension StoreStatements {
    /// Writes one change, in the transaction that the caller began.
    func apply(_ change: Change) throws(SQLiteFailure) {
        switch change {
        case .user(let record, let transitions):
            try put(record)
            for transition in transitions { try add(transition, to: record.user.id) }
        case .append(let name, let progress, let movies):
            try write(progress, of: name, with: appendToList)
            try add(movies, to: name, revision: progress.revision)
        case .reset(let name, let progress, let movies):
            try dropMovies.bind(1, name.rawValue)
            try dropMovies.run()
            try write(progress, of: name, with: resetList)
            try add(movies, to: name, revision: progress.revision)
        case .reserve(let revision):
            try reserve.bind(1, revision: revision)
            try reserve.run()
        case .remember(let answered, let forgotten, let change):
            if let change { try apply(change) }
            for few in forgotten { try requests.forget(few) }
            for request in answered { try requests.add(request) }
        }
    }

    func trimHistory(of user: Int64) throws(SQLiteFailure) {
        try trimTransitions.bind(1, user)
        try trimTransitions.run()
    }

    private func put(_ record: UserRecord) throws(SQLiteFailure) {
        try putUser.bind(1, record.user.id)
        try putUser.bind(2, record.user.name)
        try putUser.bind(3, record.user.username)
        try putUser.bind(4, record.user.phone)
        try putUser.bind(5, record.rename)
        try putUser.run()
    }

    private func add(_ transition: Transition, to user: Int64) throws(SQLiteFailure) {
        try addTransition.bind(1, user)
        try addTransition.bind(2, revision: transition.revision)
        try addTransition.bind(3, transition.state.word)
        let loaded = transition.state.user
        if let loaded {
            try addTransition.bind(4, loaded.id)
        } else {
            try addTransition.bind(4, nil)
        }
        try addTransition.bind(5, loaded?.name)
        try addTransition.bind(6, loaded?.username)
        try addTransition.bind(7, loaded?.phone)
        if case .error(let message) = transition.state {
            try addTransition.bind(8, message)
        } else {
            try addTransition.bind(8, nil)
        }
        try addTransition.run()
    }

    private func write(
        _ progress: MovieListProgress, of list: MovieListName, with statement: Statement
    ) throws(SQLiteFailure) {
        try statement.bind(1, list.rawValue)
        try statement.bind(2, revision: progress.revision)
        try statement.bind(3, Int64(progress.page))
        try statement.bind(4, Int64(progress.pages))
        try statement.bind(5, progress.isComplete ? 1 : 0)
        try statement.run()
    }

    private func add(
        _ movies: [EncodedMovie], to list: MovieListName, revision: UInt64
    ) throws(SQLiteFailure) {
        if movies.isEmpty { return }
        try countMovies.bind(1, list.rawValue)
        _ = try countMovies.step()
        let count = countMovies.integer(0)
        countMovies.reset()
        try addMovie.bind(1, list.rawValue)
        try addMovie.bind(5, revision: revision)
        for (offset, movie) in movies.enumerated() {
            try addMovie.bind(2, count + Int64(offset))
            try addMovie.bind(3, movie.id)
            try addMovie.bind(4, movie.json)
            try addMovie.run()
        }
    }
}

extension UserState {
    /// The word in the column `state`.
    fileprivate var word: String {
        switch self {
        case .initial: "initial"
        case .loading: "loading"
        case .loaded: "loaded"
        case .error: "error"
        }
    }
}

extension Statement {
    /// Binds a revision; SQLite's integers are signed, so the upper half is refused.
    func bind(_ parameter: Int32, revision: UInt64) throws(SQLiteFailure) {
        guard let value = Int64(exactly: revision) else {
            throw SQLiteFailure(.rejected, "revision \(revision) is too large")
        }
        try bind(parameter, value)
    }
}
