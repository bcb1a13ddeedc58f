// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherStore
import UsherWire

/// What outlives the process: the state that was synced, and changes that were written and not synced yet.
///
/// Changes that were written together are there together after a crash, or not at all, as SQLite's transactions are.
final class Disk {
    private(set) var synced: StoredState
    /// Transactions that were written and not synced, oldest first.
    private var written: [[Change]] = []
    /// A transaction whose sync failed, as long as none was written over it.
    private var doubtful: [Change] = []
    /// Every name that a user ever had on disk in this epoch.
    private(set) var names: [Int64: Set<String>] = [:]
    /// Every page of movies that was ever on disk, by the number of the answer that brought it.
    private(set) var pages: Set<Int> = []
    /// Revisions of changes that were refused, and were there after a crash all the same.
    private(set) var resurrected: Set<UInt64> = []
    var isBroken = false

    init(epoch: Epoch) { synced = StoredState(epoch: epoch) }

    func write(_ transaction: [Change]) {
        doubtful = []
        written.append(transaction)
    }

    func sync() {
        for transaction in written { apply(transaction) }
        written = []
    }

    /// The sync of all that is written fails, whatever of it reached the disk.
    func failToSync() {
        doubtful = written.first ?? []
        written = []
    }

    func reserve() { synced.reservedThrough += StoreLimits.revisionBlock }

    /// The process is gone, or the power.
    func crash(_ chance: Chance, _ trace: Trace) {
        let survivors = written.isEmpty ? 0 : chance.below(written.count + 1)
        if survivors > 0 { trace.count(.unsyncedKept) }
        if survivors < written.count { trace.count(.unsyncedLost) }
        for transaction in written.prefix(survivors) { apply(transaction) }
        if written.isEmpty, !doubtful.isEmpty, chance.percent(50) {
            trace.count(.refusedChangeKept)
            apply(doubtful)
            resurrected.formUnion(doubtful.compactMap(\.revision))
        }
        written = []
        doubtful = []
    }

    /// Somebody removes the state.
    func lose(newEpoch: Epoch) {
        synced = StoredState(epoch: newEpoch)
        written = []
        doubtful = []
        names = [:]
        pages = []
    }

    private func apply(_ transaction: [Change]) {
        for change in transaction { apply(change) }
    }

    private func apply(_ change: Change) {
        switch change {
        case .user(let record, let transitions):
            let id = record.user.id
            let index = synced.users.firstIndex { $0.record.user.id == id }
            var user = index.map { synced.users[$0] } ?? .init(record: record, transitions: [])
            user.record = record
            user.transitions = (user.transitions + transitions).suffix(Limits.historyTransitions)
            if let index { synced.users[index] = user } else { synced.users.append(user) }
            if let shown = record.state.user { names[id, default: []].insert(shown.name) }
        case .append(let name, let progress, let movies):
            apply(progress, movies, of: name, isReset: false)
        case .reset(let name, let progress, let movies):
            apply(progress, movies, of: name, isReset: true)
        case .reserve(let revision): synced.reservedThrough = revision
        case .remember(let answered, let forgotten, let change):
            if let change { apply(change) }
            for few in forgotten {
                synced.requests.removeAll { $0.key.uid == few.uid && $0.revision <= few.through }
            }
            synced.requests += answered
        }
    }

    private func apply(
        _ progress: MovieListProgress, _ movies: [EncodedMovie], of name: MovieListName,
        isReset: Bool
    ) {
        let index = synced.lists.firstIndex { $0.name == name }
        var list = StoredState.StoredList(
            name: name, generation: isReset ? progress.revision : 0, progress: progress, movies: [],
            marks: [])
        if let index, !isReset { list = synced.lists[index] }
        list.progress = progress
        list.movies += movies
        if !movies.isEmpty {
            list.marks.append(.init(revision: progress.revision, count: list.movies.count))
        }
        if let index { synced.lists[index] = list } else { synced.lists.append(list) }
        pages.formUnion(movies.compactMap { MadeUpMovie($0)?.answer })
    }
}

extension Change {
    /// The revision that it is shown at.
    fileprivate var revision: UInt64? {
        switch self {
        case .user(_, let transitions): transitions.last?.revision
        case .append(_, let progress, _), .reset(_, let progress, _): progress.revision
        case .remember(_, _, let change): change?.revision
        case .reserve: nil
        }
    }
}
