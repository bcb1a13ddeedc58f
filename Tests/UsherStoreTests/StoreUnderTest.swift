// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherCore
import UsherWire

@testable import UsherStore

/// A folder that lives as long as the object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/usher-" + UUID().uuidString.prefix(8).lowercased()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Where a store goes that is not there yet, in a folder that is not there either.
    var store: String { path + "/state/usher.sqlite" }
}

/// The stores that the conformance suite runs against.
enum StoreKind: CaseIterable {
    case memory, sqlite
}

/// A store that can be closed and opened again, and that counts the failures it told of, as a daemon does.
final class StoreUnderTest {
    let log: any ChangeLog
    private(set) var failures = 0
    private let folder: TemporaryFolder?

    init(_ kind: StoreKind) throws {
        switch kind {
        case .memory:
            folder = nil
            log = MemoryChangeLog()
        case .sqlite:
            let folder = try TemporaryFolder()
            self.folder = folder
            log = SQLiteChangeLog(path: folder.store)
        }
    }

    init(_ log: SQLiteChangeLog) {
        folder = nil
        self.log = log
    }

    deinit {
        log.close()
    }

    func open() throws -> StoredState { try log.open() }

    func reopen() throws -> StoredState {
        log.close()
        failures = 0
        return try log.open()
    }

    /// Commits and waits for what comes of it.
    @discardableResult
    func commit(_ change: Change, generation: Int? = nil) async -> Result<Void, StoreError> {
        let result = await withCheckedContinuation { continuation in
            log.commit(change, generation: generation ?? failures) {
                continuation.resume(returning: $0)
            }
        }
        if case .failure = result { failures += 1 }
        return result
    }
}

extension Result where Success == Void {
    var error: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

/// Changes that are easy to tell apart.
enum Sample {
    static func user(_ id: Int64 = 7, revision: UInt64, name: String = "Ada") -> Change {
        let user = User(id: id, name: name, username: "ada", phone: "1815")
        return .user(
            UserRecord(user: user),
            transitions: [Transition(revision: revision, state: .loaded(user))])
    }

    static func movies(_ ids: Range<Int64>, size: Int = 0) -> [EncodedMovie] {
        ids.map { id in
            var movie = Movie(id: id, title: "Film \(id)")
            if size > 0 { movie.overview = String(repeating: "x", count: size) }
            return EncodedMovie(movie)
        }
    }

    static func progress(_ revision: UInt64, page: Int = 1) -> MovieListProgress {
        MovieListProgress(revision: revision, page: page, pages: 9, isComplete: false)
    }

    /// Appends the film whose number is the revision to the popular list.
    static func append(_ revision: UInt64, size: Int = 0) -> Change {
        let id = Int64(revision)
        return .append(.popular, progress(revision), movies: movies(id..<id + 1, size: size))
    }

    static func request(
        _ revision: UInt64, uid: UInt32 = 5, key: String = "k", digest: UInt64 = 7,
        answer: RequestAnswer = .moviesStatus(.popular, .empty, revision: 1)
    ) -> AnsweredRequest {
        AnsweredRequest(
            key: RequestKey(uid: uid, text: key), digest: digest, answer: answer,
            revision: revision, servedMilliseconds: revision * 10)
    }
}
