// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherWire

/// The tables, how a file is known to hold them, and how SQLite is told to keep them.
enum StoreSchema {
    /// The version of the tables below, in the file's `user_version`.
    static let version: Int64 = 2
    /// "Ushr", in the file's `application_id`.
    static let applicationID: Int64 = 0x5573_6872

    private static let tables = firstTables + [requests]

    /// What each version added to the one before it; the first is the key.
    private static let upgrades: [Int64: [String]] = [1: [requests]]

    /// The tables of version 1.
    private static let firstTables = [
        // One row. `clean` is 0 while the store is open and after a crash; `probes` is there to be written.
        """
        CREATE TABLE meta (
            id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT NOT NULL, reserved INTEGER NOT NULL,
            clean INTEGER NOT NULL, probes INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE users (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, username TEXT NOT NULL, phone TEXT,
            rename TEXT
        ) STRICT
        """,
        // The last steps of each user. `id`, `name`, `username` and `phone` are those of a loaded state.
        """
        CREATE TABLE transitions (
            user INTEGER NOT NULL, revision INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('initial', 'loading', 'loaded', 'error')),
            id INTEGER, name TEXT, username TEXT, phone TEXT, message TEXT,
            PRIMARY KEY (user, revision)
        ) STRICT, WITHOUT ROWID
        """,
        // `generation` is the revision that began the list anew, 0 if none did, `revision` that of its last change.
        """
        CREATE TABLE lists (
            name TEXT PRIMARY KEY, generation INTEGER NOT NULL, revision INTEGER NOT NULL,
            page INTEGER NOT NULL, pages INTEGER NOT NULL, complete INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        // `revision` is that of the change that brought the movie, `json` what goes out on the wire.
        """
        CREATE TABLE movies (
            list TEXT NOT NULL, position INTEGER NOT NULL, id INTEGER NOT NULL, json BLOB NOT NULL,
            revision INTEGER NOT NULL, PRIMARY KEY (list, position)
        ) STRICT
        """,
    ]

    // The requests that carried a key, in the order in which they were carried out. `id` and the three columns after
    // it are the answer of those about a user; the rest of those about a list, `place` and `count` if it named movies.
    private static let requests =
        """
        CREATE TABLE requests (
            uid INTEGER NOT NULL, revision INTEGER NOT NULL, key TEXT NOT NULL,
            digest INTEGER NOT NULL, served_ms INTEGER NOT NULL, answered INTEGER NOT NULL,
            id INTEGER, name TEXT, username TEXT, phone TEXT,
            list TEXT, place INTEGER, count INTEGER, phase TEXT, message TEXT, page INTEGER,
            pages INTEGER, total INTEGER, complete INTEGER,
            PRIMARY KEY (uid, revision, key)
        ) STRICT, WITHOUT ROWID
        """

    /// Takes the file for this connection alone, refuses one that is not ours before anything is written to it, and
    /// sets how it is written.
    static func configure(_ database: Database) throws(SQLiteFailure) {
        try database.execute("PRAGMA locking_mode = EXCLUSIVE")
        try database.execute("PRAGMA trusted_schema = 0")
        try database.execute("PRAGMA cell_size_check = 1")
        try database.execute("PRAGMA mmap_size = 0")
        try check(database)
        if database.isReadOnly {
            throw SQLiteFailure(.readOnly, "it could be opened for reading only")
        }
        try database.execute("PRAGMA synchronous = FULL")
        let mode = try database.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw SQLiteFailure(.other, "SQLite keeps no write-ahead log here but \(mode)")
        }
        try database.execute("PRAGMA journal_size_limit = \(StoreLimits.logBytes)")
        try database.execute("PRAGMA wal_autocheckpoint = \(StoreLimits.checkpointPages)")
    }

    /// Makes the tables in a new file; checks an older one that was not closed, and brings it to this version.
    static func install(in database: Database) throws(SQLiteFailure) {
        if try database.integer("PRAGMA application_id") == applicationID {
            try checkAfterCrash(database)
            try upgrade(database)
            return
        }
        try Transaction(on: database).run { () throws(SQLiteFailure) in
            for table in tables { try database.execute(table) }
            let meta = try database.prepare("INSERT INTO meta VALUES (1, ?1, 0, 1, 0)")
            try meta.bind(1, Epoch(value: .random(in: .min ... .max)).description)
            try meta.run()
            try database.execute("PRAGMA user_version = \(version)")
            try database.execute("PRAGMA application_id = \(applicationID)")
        }
    }

    private static func check(_ database: Database) throws(SQLiteFailure) {
        let application = try database.integer("PRAGMA application_id")
        let found = try database.integer("PRAGMA user_version")
        if application == applicationID, found > version {
            throw SQLiteFailure(.newer, "schema \(found), this version knows \(version)")
        }
        if application == applicationID, found >= 1 { return }
        let objects = try database.integer("SELECT count(*) FROM sqlite_schema")
        if objects > 0 || application != 0 || found != 0 {
            throw SQLiteFailure(.notADatabase, "a database of another program")
        }
    }

    /// Adds what later versions have, all of it or nothing.
    private static func upgrade(_ database: Database) throws(SQLiteFailure) {
        let found = try database.integer("PRAGMA user_version")
        guard found < version else { return }
        try Transaction(on: database).run { () throws(SQLiteFailure) in
            for step in found..<version {
                for table in upgrades[step] ?? [] { try database.execute(table) }
            }
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    private static func checkAfterCrash(_ database: Database) throws(SQLiteFailure) {
        if try database.integer("SELECT clean FROM meta") == 1 { return }
        let pages = try database.integer("PRAGMA page_count")
        if try pages * database.integer("PRAGMA page_size") >= StoreLimits.checkedBytes { return }
        let verdict = try database.text("PRAGMA quick_check(1)")
        if verdict != "ok" { throw .corrupt(verdict) }
    }
}
