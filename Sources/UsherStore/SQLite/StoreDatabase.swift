// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherCore
internal import UsherWire

/// The state file as SQLite sees it, opened and known to be ours; used on the worker's thread alone.
///
/// With `locking_mode = EXCLUSIVE` set before anything is read, the write-ahead log's index is in memory, there is no
/// shared-memory file, and no other process can so much as read the store while it is open.
final class StoreDatabase {
    /// What the store was found to hold.
    let stored: StoredState
    let statements: StoreStatements
    private let transaction: Transaction
    private let lock: StoreLock

    init(path: String) throws(StoreError) {
        try StoreFile.createFolder(of: path)
        try StoreFile.checkKind(of: path)
        lock = try StoreLock(of: path)
        try StoreFile.create(path)
        do throws(SQLiteFailure) {
            let database = try Database(path: path)
            try StoreSchema.configure(database)
            try StoreSchema.install(in: database)
            transaction = try Transaction(on: database)
            statements = try StoreStatements(database)
            stored = try Self.begin(
                Self.load(from: database), after: lock.witness, with: statements, transaction)
            lock.remember(
                StoreLock.Witness(
                    epoch: stored.epoch,
                    reservedThrough: stored.reservedThrough + StoreLimits.revisionBlock))
            database.tidiesUpWhenClosed()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Stores a group of changes in one transaction; after a failure none of them is stored.
    ///
    /// `applied` is how many changes went in before the failure, so that the one to blame is known.
    func store(_ changes: some Collection<Change>, applied: inout Int) throws(SQLiteFailure) {
        var count = 0
        defer { applied = count }
        try transaction.run { () throws(SQLiteFailure) in
            var users: Set<Int64> = []
            for change in changes {
                try statements.apply(change)
                if let user = change.user { users.insert(user) }
                count += 1
            }
            for user in users { try statements.trimHistory(of: user) }
        }
    }

    /// Writes something, durably, to find out whether that works again.
    func probe() throws(SQLiteFailure) {
        try transaction.run { () throws(SQLiteFailure) in try statements.probe.run() }
    }

    /// Writes over what a transaction left in the log whose flush failed, before anybody hears that it failed.
    ///
    /// All of it may be there, and would count again if the process ended now: a change that was refused, at a revision
    /// behind those that were given out since. Whether this write is durable does not matter.
    func overwriteFailure() { try? probe() }

    /// Leaves word that nothing needs to be checked next time, and moves all that is in the log into the file.
    func finish() throws(SQLiteFailure) {
        try transaction.run { () throws(SQLiteFailure) in try statements.markClean.run() }
        try statements.checkpoint.run()
    }

    /// Reserves this run's revisions and marks the store as in use.
    ///
    /// A witness that knows of revisions which the store does not says that an older copy was put back. What peers
    /// remember may then be of a history that is lost, so a new epoch begins.
    private static func begin(
        _ loaded: StoredState, after witness: StoreLock.Witness?,
        with statements: StoreStatements, _ transaction: Transaction
    ) throws(SQLiteFailure) -> StoredState {
        var stored = loaded
        if let witness, witness.epoch == stored.epoch,
            witness.reservedThrough > stored.reservedThrough
        {
            stored.epoch = Epoch(value: .random(in: .min ... .max))
        }
        let (reserved, isTooLarge) = stored.reservedThrough.addingReportingOverflow(
            StoreLimits.revisionBlock)
        if isTooLarge { throw .corrupt("no revisions are left") }
        try transaction.run { () throws(SQLiteFailure) in
            try statements.begin.bind(1, stored.epoch.description)
            try statements.begin.bind(2, revision: reserved)
            try statements.begin.run()
        }
        return stored
    }
}

extension Change {
    /// The user whose history it adds to.
    fileprivate var user: Int64? {
        switch self {
        case .user(let record, _): record.user.id
        case .remember(_, _, let change): change?.user
        case .append, .reset, .reserve: nil
        }
    }
}
