// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherCore
import UsherWire

@testable import UsherStore

/// A store of an earlier version is brought to this one, with all that is in it, or left as it was.
struct UpgradeTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.store
    }

    /// What version 1 of the program left behind, in its own words: these are not to follow later schemas.
    private static let version1 = [
        "PRAGMA journal_mode = WAL",
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
        """
        CREATE TABLE transitions (
            user INTEGER NOT NULL, revision INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('initial', 'loading', 'loaded', 'error')),
            id INTEGER, name TEXT, username TEXT, phone TEXT, message TEXT,
            PRIMARY KEY (user, revision)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE lists (
            name TEXT PRIMARY KEY, generation INTEGER NOT NULL, revision INTEGER NOT NULL,
            page INTEGER NOT NULL, pages INTEGER NOT NULL, complete INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE movies (
            list TEXT NOT NULL, position INTEGER NOT NULL, id INTEGER NOT NULL, json BLOB NOT NULL,
            revision INTEGER NOT NULL, PRIMARY KEY (list, position)
        ) STRICT
        """,
        "INSERT INTO meta VALUES (1, '00000000000000ab', 4294967296, 1, 3)",
        "INSERT INTO users VALUES (7, 'Ada', 'ada', NULL, 'Ada L')",
        "INSERT INTO transitions VALUES (7, 2, 'loaded', 7, 'Ada L', 'ada', NULL, NULL)",
        "INSERT INTO lists VALUES ('popular', 3, 4, 1, 9, 0)",
        "INSERT INTO movies VALUES ('popular', 0, 5, X'7B7D', 4)",
        "PRAGMA user_version = 1", "PRAGMA application_id = 1433626738",
    ]

    /// Makes such a store, and has the last words on it.
    private func makeVersion1(_ more: String...) throws {
        try StoreFile.createFolder(of: path)
        try StoreFile.create(path)
        let database = try Database(path: path)
        for sql in Self.version1 + more { try database.execute(sql) }
    }

    private var version: Int64 {
        get throws { try Database(path: path).integer("PRAGMA user_version") }
    }

    @Test(arguments: [1, 0])
    func `A store of version 1 is upgraded with all that is in it, closed well or not`(
        clean: Int
    ) async throws {
        try makeVersion1("UPDATE meta SET clean = \(clean)")
        let store = StoreUnderTest(SQLiteChangeLog(path: path))
        let user = User(id: 7, name: "Ada", username: "ada")
        let shown = User(id: 7, name: "Ada L", username: "ada")
        let found = try store.open()
        #expect(
            found
                == StoredState(
                    epoch: Epoch(value: 0xAB), reservedThrough: 1 << 32,
                    users: [
                        .init(
                            record: UserRecord(user: user, rename: "Ada L"),
                            transitions: [Transition(revision: 2, state: .loaded(shown))])
                    ],
                    lists: [
                        .init(
                            name: .popular, generation: 3,
                            progress: MovieListProgress(
                                revision: 4, page: 1, pages: 9, isComplete: false),
                            movies: [EncodedMovie(id: 5, json: Array("{}".utf8))],
                            marks: [.init(revision: 4, count: 1)])
                    ]))
        await store.commit(.remember([Sample.request(9)], forgetting: [], with: nil))
        #expect(try store.reopen().requests == [Sample.request(9)])
        store.log.close()
        #expect(try version == StoreSchema.version)
    }

    @Test func `An upgrade that fails leaves the store as it was`() throws {
        // The name that the new table needs is taken.
        try makeVersion1("CREATE TABLE requests (other TEXT)")
        #expect(throws: StoreError.self) { try SQLiteChangeLog(path: path).open() }
        #expect(try version == 1)
        try Database(path: path).execute("DROP TABLE requests")
        let log = SQLiteChangeLog(path: path)
        #expect(try log.open().users.count == 1)
        log.close()
    }
}
