// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherSQLite
internal import Glibc

/// What went wrong with a file, before it is put into words with its path.
struct SQLiteFailure: Error {
    let kind: StoreError.Kind
    let detail: String

    init(_ kind: StoreError.Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    static func corrupt(_ detail: String) -> SQLiteFailure { SQLiteFailure(.corrupt, detail) }

    /// Takes an extended result code of SQLite, its text, and the `errno` behind it, which counts only where SQLite
    /// blames the system; elsewhere it may be an old one.
    init(code: Int32, text: String, errorNumber: Int32 = 0) {
        let primary = code & 0xFF
        let isOfSystem = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN
        kind = isOfSystem ? .system(errorNumber) : .sqlite(primary)
        let cause = isOfSystem && errorNumber != 0 ? ": " + systemText(errorNumber) : ""
        detail = "\(text), SQLite code \(code)\(cause)"
    }
}

extension StoreError.Kind {
    fileprivate static func sqlite(_ primaryCode: Int32) -> StoreError.Kind {
        switch primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED: .locked
        case SQLITE_CORRUPT: .corrupt
        case SQLITE_NOTADB: .notADatabase
        case SQLITE_READONLY: .readOnly
        case SQLITE_PERM, SQLITE_AUTH: .permission
        case SQLITE_FULL: .full
        case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH: .rejected
        default: .other
        }
    }

    /// The kind of a failed system call.
    static func system(_ errorNumber: Int32) -> StoreError.Kind {
        switch errorNumber {
        case EACCES, EPERM: .permission
        case EROFS: .readOnly
        case ENOSPC, EDQUOT: .full
        case ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG: .notAFile
        default: .io
        }
    }
}

extension StoreError {
    init(_ failure: SQLiteFailure, path: String) {
        self.init(failure.kind, path: path, detail: failure.detail)
    }

    /// Makes the line that tells what is the matter with `path`, and what to do.
    init(_ kind: Kind, path: String, detail: String) {
        let message =
            switch kind {
            case .locked:
                "\(path) is in use by another process (\(detail)); is another usherd running? "
                    + "Stop it, or give this one another state file"
            case .newer:
                "\(path) was written by a later version (\(detail)); install that version, "
                    + "or give this one another state file"
            case .corrupt:
                "\(path) is damaged (\(detail)); nothing was deleted: put a copy back, "
                    + "or move the file away to begin anew"
            case .notADatabase:
                "\(path) is not a state file of usherd (\(detail)); it was left as it is: "
                    + "move it away, or give another path"
            case .notAFile:
                "\(path) cannot be a state file (\(detail)); give the path of a file in a folder"
            case .readOnly:
                "\(path) cannot be written (\(detail)); make it writable, or give another path"
            case .permission:
                "\(path) may not be used by uid \(geteuid()) (\(detail)); give it read and write "
                    + "access to the file and its folder"
            case .full:
                "no space is left for \(path) (\(detail)); free some"
            case .io:
                "\(path) failed (\(detail)); look at the disk and the system's log"
            case .rejected:
                "\(path) refused a change (\(detail))"
            case .closed:
                "\(path) is not open (\(detail))"
            case .other:
                "\(path) failed in a way that it should not (\(detail)); please report it"
            }
        self.init(kind, message)
    }
}

/// The system's words for an `errno`.
func systemText(_ errorNumber: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    unsafe strerror_r(errorNumber, &text, text.count)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
