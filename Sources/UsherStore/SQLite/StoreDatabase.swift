// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherSQLite
internal import UsherCore
internal import UsherWire

/// The state file as SQLite sees it, opened and known to be ours; used on the worker's thread alone.
///
/// With `locking_mode = EXCLUSIVE` set before anything is read, the write-ahead log's index is in memory, there is no
/// shared-memory file, and no other process can so much as read the store while it is open.
final class StoreDatabase {
    /// What the store was found to hold.
    let stored: StoredState
    let database: Database
    let statements: StoreStatements
    private let file: StoreFile

    init(path: String) throws(StoreError) {
        file = try StoreFile(path: path)
        do throws(SQLiteFailure) {
            database = try Database(path: path)
            try Self.configure(database)
            try StoreSchema.install(in: database)
            statements = try StoreStatements(database)
            stored = try Self.load(from: database)
            try database.transaction { () throws(SQLiteFailure) in
                let begin = try database.prepare(
                    "UPDATE meta SET reserved = reserved + ?1, clean = 0")
                try begin.bind(1, Int64(StoreLimits.revisionBlock))
                try begin.run()
            }
        } catch {
            if error.code == SQLiteFailure.newerSchema {
                throw StoreError(.newer, path: path, detail: error.text)
            }
            throw StoreError(error, path: path)
        }
    }

    /// Stores a group of changes in one transaction; after a failure none of them is stored.
    ///
    /// `applied` counts the changes that went in before the failure, so that the one to blame is known.
    func store(_ changes: some Collection<Change>, applied: inout Int) throws(SQLiteFailure) {
        applied = 0
        var count = 0
        defer { applied = count }
        try database.transaction { () throws(SQLiteFailure) in
            var users: Set<Int64> = []
            for change in changes {
                try apply(change)
                if case .user(let record, _) = change { users.insert(record.user.id) }
                count += 1
            }
            for user in users { try trimHistory(of: user) }
        }
    }

    /// Writes something, durably, to find out whether that works again.
    func probe() throws(SQLiteFailure) {
        try database.transaction { () throws(SQLiteFailure) in
            try database.execute("UPDATE meta SET clean = 0")
        }
    }

    /// Moves all that is in the log into the file, and leaves word that nothing needs to be checked next time.
    func finish() throws(SQLiteFailure) {
        try database.transaction { () throws(SQLiteFailure) in
            try database.execute("UPDATE meta SET clean = 1")
        }
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private static func configure(_ database: Database) throws(SQLiteFailure) {
        try database.execute("PRAGMA locking_mode = EXCLUSIVE")
        try database.execute("PRAGMA trusted_schema = 0")
        try database.execute("PRAGMA cell_size_check = 1")
        try database.execute("PRAGMA mmap_size = 0")
        try StoreSchema.check(database)
        if database.isReadOnly {
            throw SQLiteFailure(code: SQLITE_READONLY, text: "it was opened for reading only")
        }
        let mode = try database.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw SQLiteFailure(code: SQLITE_ERROR, text: "it has no write-ahead log but \(mode)")
        }
        try database.execute("PRAGMA synchronous = FULL")
        try database.execute("PRAGMA journal_size_limit = \(StoreLimits.logBytes)")
        try database.execute("PRAGMA wal_autocheckpoint = \(StoreLimits.checkpointPages)")
    }
}

extension Database {
    /// Runs `body` in a transaction; after a failure, of the commit too, nothing of it is there.
    func transaction(_ body: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
        // After some errors SQLite has rolled back already, after some it could not.
        if isInTransaction { try execute("ROLLBACK") }
        do throws(SQLiteFailure) {
            try execute("BEGIN IMMEDIATE")
            try body()
            try execute("COMMIT")
        } catch {
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}
