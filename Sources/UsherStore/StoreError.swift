// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Why a store could not be opened, or a change not be stored.
package struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// Another process has the store open.
        case locked
        /// A later version of the program wrote the store.
        case newer
        /// The store is damaged.
        case corrupt
        /// The file is something else than a store.
        case notADatabase
        /// The path leads to a directory or a device.
        case notAFile
        /// The file or its file system is read-only.
        case readOnly
        /// The daemon's user may not read or write the file.
        case permission
        /// No space, or no quota, is left.
        case full
        /// The disk or file system failed.
        case io
        /// The change contradicts what is stored; the store itself is well.
        case rejected
        /// The store is not open.
        case closed
        /// Something that should not happen.
        case other
    }

    package let kind: Kind
    /// One line for people: what was wrong, with the path, and what to do.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Whether the store itself is to blame, so that further changes would fail as well.
    package var isHard: Bool {
        switch kind {
        case .rejected, .closed: false
        default: true
        }
    }

    /// The status that a daemon exits with when its store cannot be opened, from sysexits.h.
    package var exitCode: Int32 {
        switch kind {
        case .locked: 75
        case .newer: 78
        case .corrupt, .notADatabase: 65
        case .notAFile, .readOnly: 73
        case .permission: 77
        case .full, .io: 74
        case .rejected, .closed, .other: 70
        }
    }

    package var description: String { message }
}
