// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Runs transactions on one connection, with statements that are prepared once.
struct Transaction {
    private let database: Database
    private let begin: Statement
    private let commit: Statement
    private let rollback: Statement

    init(on database: Database) throws(SQLiteFailure) {
        self.database = database
        begin = try database.prepare("BEGIN IMMEDIATE")
        commit = try database.prepare("COMMIT")
        rollback = try database.prepare("ROLLBACK")
    }

    /// Runs `body` and commits; after a failure, of the commit too, nothing of it is there.
    func run(_ body: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
        // After some errors SQLite has rolled back already; after some, it could not.
        if database.isInTransaction { try rollback.run() }
        do throws(SQLiteFailure) {
            try begin.run()
            try body()
            try commit.run()
        } catch {
            if database.isInTransaction { try? rollback.run() }
            throw error
        }
    }
}
