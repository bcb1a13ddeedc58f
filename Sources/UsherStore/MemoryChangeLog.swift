// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherCore
internal import UsherWire

/// A store that forgets everything when the process ends: for tests, and for a daemon without a state file.
///
/// Not thread-safe. Completions run before `commit` returns. What was stored is there again when the same object is
/// closed and opened.
package final class MemoryChangeLog: ChangeLog {
    package private(set) var status = StoreStatus()

    private let epoch = Epoch(value: .random(in: .min ... .max))
    private var reservedThrough: UInt64 = 0
    private var users: [Int64: StoredState.StoredUser] = [:]
    private var lists: [MovieListName: StoredState.StoredList] = [:]
    private var requests: [AnsweredRequest] = []
    private var isOpen = false
    private var lastFailure = StoreError(.closed, "the store is not open")

    package init() {}

    package func open() throws(StoreError) -> StoredState {
        precondition(!isOpen, "a store is opened once")
        let stored = StoredState(
            epoch: epoch, reservedThrough: reservedThrough,
            users: users.values.sorted { $0.record.user.id < $1.record.user.id }.map { user in
                var user = user
                user.trim()
                return user
            },
            lists: lists.values.sorted {
                $0.name.rawValue.utf8.lexicographicallyPrecedes($1.name.rawValue.utf8)
            },
            requests: requests.sorted { ($0.key.uid, $0.revision) < ($1.key.uid, $1.revision) })
        reservedThrough += StoreLimits.revisionBlock
        status = StoreStatus()
        isOpen = true
        return stored
    }

    package func commit(
        _ change: Change, generation: Int,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        guard isOpen else {
            completion(.failure(StoreError(.closed, "the store is not open")))
            return
        }
        do throws(StoreError) {
            if generation < status.failures { throw lastFailure }
            try apply(change)
        } catch {
            lastFailure = error
            status.lastError = error
            status.failures += 1
            completion(.failure(error))
            return
        }
        status.commits += 1
        status.transactions += 1
        status.largestGroup = 1
        completion(.success(()))
    }

    package func confirmAlive(completion: @escaping @Sendable () -> Void) {
        if isOpen { completion() }
    }

    package func close() {
        isOpen = false
    }

    private func apply(_ change: Change) throws(StoreError) {
        switch change {
        case .user(let record, let transitions):
            try remember(record, transitions)
        case .append(let name, let progress, let movies):
            var list = lists[name] ?? emptyList(name, generation: 0, progress)
            list.append(movies, progress)
            lists[name] = list
        case .reset(let name, let progress, let movies):
            var list = emptyList(name, generation: progress.revision, progress)
            list.append(movies, progress)
            lists[name] = list
        case .reserve(let revision):
            reservedThrough = max(reservedThrough, revision)
        case .remember(let answered, let forgotten, let change):
            if let change { try apply(change) }
            for few in forgotten {
                requests.removeAll { $0.key.uid == few.uid && $0.revision <= few.through }
            }
            requests += answered
        }
    }

    private func remember(_ record: UserRecord, _ transitions: [Transition]) throws(StoreError) {
        let id = record.user.id
        var last = users[id]?.transitions.last?.revision ?? 0
        for transition in transitions {
            guard transition.revision > last else {
                throw StoreError(
                    .rejected, "revision \(transition.revision) of user/\(id) is stored")
            }
            last = transition.revision
        }
        // In place: a copy of the history for each change would cost more than all the rest of a change.
        users[id, default: StoredState.StoredUser(record: record, transitions: [])]
            .remember(record, transitions)
    }

    private func emptyList(
        _ name: MovieListName, generation: UInt64, _ progress: MovieListProgress
    ) -> StoredState.StoredList {
        StoredState.StoredList(
            name: name, generation: generation, progress: progress, movies: [], marks: [])
    }
}

extension StoredState.StoredUser {
    fileprivate mutating func remember(_ record: UserRecord, _ added: [Transition]) {
        self.record = record
        transitions += added
        // Old ones go many at a time, since each time moves all that stay.
        if transitions.count >= Limits.historyTransitions * 2 { trim() }
    }

    fileprivate mutating func trim() {
        transitions.removeFirst(max(0, transitions.count - Limits.historyTransitions))
    }
}

extension StoredState.StoredList {
    fileprivate mutating func append(_ added: [EncodedMovie], _ progress: MovieListProgress) {
        self.progress = progress
        movies += added
        if !added.isEmpty {
            marks.append(StoredState.Mark(revision: progress.revision, count: movies.count))
        }
    }
}
