// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherWire

/// A store in two steps, as a thread of its own makes them: a change becomes durable, later the core hears of it.
///
/// As the real ones do, it refuses what was made before the caller heard of the last failure.
struct FakeStore {
    private struct Pending {
        let owner: ChangeOwner
        let change: Change
        let heardFailures: Int
    }

    /// What is on disk.
    private(set) var stored: StoredState
    private var pending: [Pending] = []
    private var answers: [(owner: ChangeOwner, isKept: Bool)] = []
    private var failures = 0
    private var heardFailures = 0
    /// Every name that a user ever had on disk.
    private(set) var names: [Int64: Set<String>] = [:]
    /// Every order of movies that a list ever had on disk.
    private(set) var orders: [MovieListName: Set<[Int64]>] = [:]
    /// How often each key was kept.
    private(set) var keys: [RequestKey: Int] = [:]

    init(epoch: Epoch) { stored = StoredState(epoch: epoch) }

    var isIdle: Bool { pending.isEmpty && answers.isEmpty }
    var hasWork: Bool { !pending.isEmpty }

    mutating func commit(_ change: Change, of owner: ChangeOwner) {
        pending.append(Pending(owner: owner, change: change, heardFailures: heardFailures))
    }

    /// Makes the oldest change durable, or refuses it.
    mutating func work(fails: Bool) {
        guard !pending.isEmpty else { return }
        let next = pending.removeFirst()
        let isKept = !fails && next.heardFailures == failures
        if isKept { keep(next.change) } else { failures += 1 }
        answers.append((next.owner, isKept))
    }

    /// What the core hears next.
    mutating func nextAnswer() -> Event? {
        guard !answers.isEmpty else { return nil }
        let answer = answers.removeFirst()
        if !answer.isKept { heardFailures += 1 }
        let refusal = WireError(.degraded, "disk full")
        return .committed(answer.owner, answer.isKept ? .success(()) : .failure(refusal))
    }

    /// Loses everything that is not on disk, and is opened again.
    mutating func crash() -> StoredState {
        pending = []
        answers = []
        failures = 0
        heardFailures = 0
        return open()
    }

    mutating func open() -> StoredState {
        let found = stored
        stored.reservedThrough += Revisions.block
        return found
    }

    private mutating func keep(_ change: Change) {
        switch change {
        case .user(let record, let transitions):
            let id = record.user.id
            let index = stored.users.firstIndex { $0.record.user.id == id }
            var user = index.map { stored.users[$0] } ?? .init(record: record, transitions: [])
            user.record = record
            user.transitions = (user.transitions + transitions).suffix(Limits.historyTransitions)
            if let index { stored.users[index] = user } else { stored.users.append(user) }
            names[id, default: []].insert(record.shown.name)
        case .append(let name, let progress, let movies):
            keep(progress, movies, of: name, isReset: false)
        case .reset(let name, let progress, let movies):
            keep(progress, movies, of: name, isReset: true)
        case .reserve(let revision): stored.reservedThrough = revision
        case .remember(let requests, _, let change):
            if let change { keep(change) }
            stored.requests += requests
            for request in requests { keys[request.key, default: 0] += 1 }
        }
    }

    private mutating func keep(
        _ progress: MovieListProgress, _ movies: [EncodedMovie], of name: MovieListName,
        isReset: Bool
    ) {
        let index = stored.lists.firstIndex { $0.name == name }
        var list = StoredState.StoredList(
            name: name, generation: isReset ? progress.revision : 0, progress: progress, movies: [],
            marks: [])
        if let index, !isReset { list = stored.lists[index] }
        list.progress = progress
        list.movies += movies
        if !movies.isEmpty {
            list.marks.append(.init(revision: progress.revision, count: list.movies.count))
        }
        if let index { stored.lists[index] = list } else { stored.lists.append(list) }
        orders[name, default: []].insert(list.movies.map(\.id))
    }
}
