// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherSQLite
internal import Glibc

/// One SQLite connection, to be used on the thread that opened it.
///
/// It is closed when it and the last of its statements are gone.
@safe final class Database {
    private let connection: OpaquePointer

    /// Opens a file that exists; it is not read yet, and closing leaves the log that it may have as it is.
    init(path: String) throws(SQLiteFailure) {
        // The path must be neither a URI nor one of the names that mean memory.
        let file = path.hasPrefix("/") ? path : "./" + path
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(file, &opened, flags, nil)
        guard let connection = unsafe opened else {
            throw SQLiteFailure(.other, "out of memory")
        }
        unsafe self.connection = connection
        if code != SQLITE_OK {
            throw failure(code, errorNumber: unsafe sqlite3_system_errno(connection))
        }
        var facts = stat()
        let hasLog = unsafe stat(file + "-wal", &facts) == 0 && facts.st_size > 0
        unsafe usher_sqlite_keep_log_on_close(connection, hasLog ? 1 : 0)
    }

    deinit {
        unsafe sqlite3_close(connection)
    }

    /// Lets closing move the log into the file, which SQLite does by itself also where it was only asked what the file is;
    /// to be called once the file is known to be ours.
    func tidiesUpWhenClosed() {
        unsafe usher_sqlite_keep_log_on_close(connection, 0)
    }

    /// Whether SQLite could open the file for reading only.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(connection, "main") == 1 }

    /// Whether a transaction was begun and neither committed nor rolled back, by us or by SQLite after an error.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(connection) == 0 }

    func prepare(_ sql: String) throws(SQLiteFailure) -> Statement {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let statement = unsafe prepared else { throw failure(code) }
        return unsafe Statement(statement, of: self)
    }

    /// Runs one statement and drops its rows.
    func execute(_ sql: String) throws(SQLiteFailure) {
        try prepare(sql).run()
    }

    /// Runs one statement that gives a number, as a pragma or a count does.
    func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
        let statement = try prepare(sql)
        guard try statement.step() else { return 0 }
        return statement.integer(0)
    }

    /// Runs one statement that gives a text, as a pragma does.
    func text(_ sql: String) throws(SQLiteFailure) -> String {
        let statement = try prepare(sql)
        guard try statement.step() else { return "" }
        return statement.text(0)
    }

    /// The failure of the last call, which returned `code` and left `errorNumber` if the system was to blame.
    fileprivate func failure(_ code: Int32, errorNumber: Int32 = 0) -> SQLiteFailure {
        SQLiteFailure(
            code: code, text: unsafe String(cString: sqlite3_errmsg(connection)),
            errorNumber: errorNumber)
    }
}

/// A prepared statement, kept to be run many times.
///
/// Parameters count from 1, columns from 0, as in SQLite.
@safe final class Statement {
    private let statement: OpaquePointer
    private let database: Database

    fileprivate init(_ statement: OpaquePointer, of database: Database) {
        unsafe self.statement = unsafe statement
        self.database = database
    }

    deinit {
        unsafe sqlite3_finalize(statement)
    }

    func bind(_ parameter: Int32, _ value: Int64) throws(SQLiteFailure) {
        try check(unsafe sqlite3_bind_int64(statement, parameter, value))
    }

    /// Binds the text's exact bytes, NULs included; nil is NULL.
    func bind(_ parameter: Int32, _ text: String?) throws(SQLiteFailure) {
        guard var text else {
            try check(unsafe sqlite3_bind_null(statement, parameter))
            return
        }
        // An empty text may have no address, which SQLite would take for NULL.
        let code =
            text.isEmpty
            ? unsafe sqlite3_bind_text(statement, parameter, "", 0, usher_sqlite_transient())
            : text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                    unsafe sqlite3_bind_text64(
                        statement, parameter, characters.baseAddress, UInt64(bytes.count),
                        usher_sqlite_transient(), UInt8(SQLITE_UTF8))
                }
            }
        try check(code)
    }

    func bind(_ parameter: Int32, _ bytes: [UInt8]) throws(SQLiteFailure) {
        let code =
            bytes.isEmpty
            ? unsafe sqlite3_bind_zeroblob(statement, parameter, 0)
            : unsafe bytes.withUnsafeBytes { bytes in
                unsafe sqlite3_bind_blob64(
                    statement, parameter, bytes.baseAddress, UInt64(bytes.count),
                    usher_sqlite_transient())
            }
        try check(code)
    }

    /// Goes to the next row; false when there is none.
    ///
    /// Then, and after a failure, the statement can run again.
    func step() throws(SQLiteFailure) -> Bool {
        // SQLite remembers the system's error for some statements, for COMMIT not.
        errno = 0
        let code = unsafe sqlite3_step(statement)
        if code == SQLITE_ROW { return true }
        let failure = code == SQLITE_DONE ? nil : database.failure(code, errorNumber: errno)
        reset()
        if let failure { throw failure }
        return false
    }

    /// Runs to the end and drops the rows.
    func run() throws(SQLiteFailure) {
        while try step() {}
    }

    /// Makes ready to run again before the last row was reached.
    func reset() {
        unsafe sqlite3_reset(statement)
    }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(statement, column)
    }

    /// The text of a column, NULs included; empty when it is NULL.
    func text(_ column: Int32) -> String {
        guard let text = unsafe sqlite3_column_text(statement, column) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        let bytes = unsafe UnsafeBufferPointer(start: text, count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let blob = unsafe sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: blob, count: count))
    }

    private func check(_ code: Int32) throws(SQLiteFailure) {
        if code != SQLITE_OK { throw database.failure(code) }
    }
}
