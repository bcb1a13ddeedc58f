// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// The domain: users, movie lists, the engine's life, and who wants to hear of them.
///
/// It does no input or output and knows no clock: what happened comes in as an ``Event``, what is to be done goes out as
/// ``Effect``s. Reads and subscriptions are plain methods, since they change nothing that has to be durable.
///
/// It is a class, and so are the users' machines, since there is one of each and none is ever copied: as values they
/// were, for nearly every call from the daemon. Not thread-safe.
package final class Core {
    package let epoch: Epoch
    var users: [Int64: UserMachine] = [:]
    var lists: [MovieListName: MovieListMachine] = [:]
    var engine = History<EngineEvent>(initial: nil)
    /// Where the revisions of all topics come from.
    package internal(set) var revisions: Revisions
    var requests: RequestBook
    /// How many want to hear of each topic.
    var subscribers: [Topic: Int] = [:]
    /// Whether the store cannot be written at present, so that what is read may not change.
    package private(set) var isDegraded = false
    /// The last revision that an earlier run may have used.
    let previousRun: UInt64

    /// A core that goes on from what a store kept, with the lists that its movie service has.
    package init(
        _ stored: StoredState, lists names: [MovieListName], _ effects: inout [Effect]
    ) {
        epoch = stored.epoch
        previousRun = stored.reservedThrough
        revisions = Revisions(after: stored.reservedThrough)
        requests = RequestBook(stored.requests)
        for list in stored.lists where names.contains(list.name) {
            lists[list.name] = MovieListMachine(list)
        }
        for name in names where lists[name] == nil { lists[name] = MovieListMachine(name: name) }
        for user in stored.users {
            users[user.record.user.id] = UserMachine(user, &revisions, &effects)
        }
    }

    /// Takes in what happened and says what is to be done about it, in order.
    ///
    /// `effects` is empty, and the caller's, so that one array can serve all events.
    package func handle(_ event: Event, _ effects: inout [Effect]) {
        switch event {
        case .fetchUser(let id, let token, let waits):
            machine(id).fetch(token, waits: waits, &revisions, &effects)
        case .renameUser(let id, let name, let token, let key):
            guard begin(token, key, .rename(id, to: name), &effects) else { break }
            if users[id]?.rename(to: name, token, &revisions, &effects) == nil {
                // Says why it cannot be, and is not kept: nothing is known of that user.
                UserMachine(id: id).rename(to: name, token, &revisions, &effects)
            }
            if key != nil { keepRename(of: id, token, &effects) }
        case .fetchMovies(let list, let page, let token, let waits, let key):
            guard begin(token, key, .fetch(list, page: page, waits: waits), &effects) else { break }
            lists[list]?.fetch(
                page: page, token, waits: waits, isKeyed: key != nil, &revisions, &effects)
        case .refreshMovies(let list, let token, let key):
            guard begin(token, key, .refresh(list), &effects) else { break }
            lists[list]?.refresh(token, isKeyed: key != nil, &revisions, &effects)
        case .userFetched(let id, let result):
            users[id]?.fetched(result, &revisions, &effects)
        case .pageFetched(let list, let result):
            let riders = riders(of: list)
            lists[list]?.fetched(result, &revisions, &effects)
            keepPage(of: list, orDrop: riders, &effects)
        case .committed(.user(let id), let result):
            users[id]?.committed(result, &revisions, &effects)
        case .committed(.list(let name), let result):
            let riders = riders(of: name)
            lists[name]?.committed(result, &revisions, &effects)
            settle(riders, result, &effects)
        case .committed(.revisions, let result):
            if case .success = result {
                revisions.reserved(true)
            } else {
                revisions.reserved(false)
            }
        case .committed(.requests, let result): remembered(result, &effects)
        case .engine(let event):
            if event.step == .degrade || event.step == .recover {
                isDegraded = event.step == .degrade
            }
            engine.append(event, revision: revisions.next(&effects))
            effects.append(.changed(.engine))
        }
        if !requests.isIdle { answerAlike(&effects) }
    }

    // MARK: Reads

    /// A user's state, and the revision of its last change.
    package func user(_ id: Int64) -> (state: UserState, revision: UInt64) {
        guard let user = users[id] else { return (.initial, 0) }
        return (user.history.state ?? .initial, user.history.revision)
    }

    /// The revision of a user's last change.
    package func revision(ofUser id: Int64) -> UInt64 {
        users[id]?.history.revision ?? 0
    }

    /// A movie list, or nil if the movie service has none of that name.
    package func list(_ name: MovieListName) -> MovieListMachine? {
        lists[name]
    }

    /// Movies that were left out of the lists since they were in them already.
    package var duplicateMovies: Int {
        lists.values.reduce(0) { $0 + $1.duplicates }
    }

    /// The lists that the movie service has, by name.
    package var listNames: [MovieListName] {
        lists.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// The cursor that stands for a revision.
    package func cursor(_ revision: UInt64) -> Cursor {
        Cursor(epoch: epoch, revision: revision)
    }

    /// How many want to hear of a topic.
    package func subscriberCount(of topic: Topic) -> Int {
        subscribers[topic] ?? 0
    }

    /// A user's machine, made if there is none yet.
    func machine(_ id: Int64) -> UserMachine {
        if let known = users[id] { return known }
        let new = UserMachine(id: id)
        users[id] = new
        return new
    }

    /// Forgets a user of whom nothing is known and nobody wants to hear, so that asking for many costs no memory.
    func dropIfPristine(_ id: Int64) {
        guard subscriberCount(of: .user(id)) == 0 else { return }
        if users[id]?.isPristine == true { users[id] = nil }
    }
}
