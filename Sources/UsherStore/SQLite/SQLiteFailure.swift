// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherSQLite
internal import Glibc

/// An error as SQLite reports it, before it is put into words for people.
struct SQLiteFailure: Error {
    /// The extended result code.
    let code: Int32
    let text: String
    /// The `errno` of the system call that failed, or 0.
    var errorNumber: Int32 = 0

    static func corrupt(_ text: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_CORRUPT, text: text)
    }

    var kind: StoreError.Kind {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .locked
        case SQLITE_CORRUPT: .corrupt
        case SQLITE_NOTADB: .notADatabase
        case SQLITE_READONLY: .readOnly
        case SQLITE_PERM, SQLITE_AUTH: .permission
        case SQLITE_FULL: .full
        case SQLITE_IOERR, SQLITE_CANTOPEN: kindOfErrorNumber
        case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH: .rejected
        default: .other
        }
    }

    private var kindOfErrorNumber: StoreError.Kind {
        switch errorNumber {
        case ENOSPC, EDQUOT: .full
        case EACCES, EPERM: .permission
        case EROFS: .readOnly
        default: .io
        }
    }

    /// What failed, with the system's own word for it if there is one.
    var detail: String {
        if errorNumber == 0 { return "\(text), SQLite code \(code)" }
        return "\(text), SQLite code \(code): \(systemText(errorNumber))"
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
                "\(path) is not a file (\(detail)); give the path of a file, not of its folder"
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
            case .closed, .other:
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
