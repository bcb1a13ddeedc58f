// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherWire

/// The tables, how a file is known to hold them, and how SQLite is told to keep them.
enum StoreSchema {
    /// The version of the tables below, in the file's `user_version`.
    static let version: Int64 = 1
    /// "Ushr", in the file's `application_id`.
    static let applicationID: Int64 = 0x5573_6872

    private static let tables = [
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

    /// Makes the tables in a new file; checks an older one that was not closed.
    static func install(in database: Database) throws(SQLiteFailure) {
        if try database.integer("PRAGMA application_id") == applicationID {
            try checkAfterCrash(database)
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
        if application == applicationID, found == version { return }
        let objects = try database.integer("SELECT count(*) FROM sqlite_schema")
        if objects > 0 || application != 0 || found != 0 {
            throw SQLiteFailure(.notADatabase, "a database of another program")
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
