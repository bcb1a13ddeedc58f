// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// The requests with a key: those that were carried out, and those that are being.
///
/// A key is kept in the transaction of the change that its request made, so that after a crash either both are there or
/// neither is. A request that changed nothing, or joined a change that was on its way, is kept by itself. A request that
/// failed was not carried out and is not remembered.
struct RequestBook: Sendable {
    var memory: RequestMemory
    fileprivate var pending: [RequestKey: Pending] = [:]
    /// The keys of the requests that will be answered by the machines.
    fileprivate var keys: [RequestToken: RequestKey] = [:]
    /// The requests that are on their way to the store by themselves, oldest first.
    fileprivate var alone: [RequestKey] = []

    /// A request that is being carried out.
    fileprivate struct Pending: Sendable {
        let use: KeyUse
        let digest: UInt64
        /// Who waits for the answer: the first to ask, and those that sent the same again.
        var tokens: [RequestToken]
        /// What it was answered, if that came before its change is durable.
        var answer: RequestAnswer?
        /// What the store was given with the request's change.
        var record: AnsweredRequest?
    }

    init(_ stored: [AnsweredRequest], window: RequestMemory.Window = .init()) {
        memory = RequestMemory(stored, window: window)
    }

    /// Whether no request with a key is being carried out.
    var isIdle: Bool { keys.isEmpty }
}

/// What a request with a key asks, as far as it must be the same when the key is.
enum KeyedCall {
    case rename(Int64, to: String)
    case fetch(MovieListName, page: Int?, waits: Bool)
    case refresh(MovieListName)

    fileprivate var digest: UInt64 {
        switch self {
        case .rename(let user, let name): RequestDigest("rename", "\(user)", name).value
        case .fetch(let list, let page, let waits):
            RequestDigest("fetch", list.rawValue, page.map { "\($0)" } ?? "", "\(waits)").value
        case .refresh(let list): RequestDigest("refresh", list.rawValue).value
        }
    }
}

extension Core {
    /// How many requests with a key are remembered.
    package var rememberedRequests: Int { requests.memory.count }

    /// Whether a request is to be carried out; if not, it is answered, or will be with the one that was sent before.
    func begin(
        _ token: RequestToken, _ use: KeyUse?, _ call: @autoclosure () -> KeyedCall,
        _ effects: inout [Effect]
    ) -> Bool {
        guard let use else { return true }
        let digest = call().digest
        let known = requests.memory.request(use)
        guard let earlier = known?.digest ?? requests.pending[use.key]?.digest else {
            requests.pending[use.key] = .init(use: use, digest: digest, tokens: [token])
            requests.keys[token] = use.key
            return true
        }
        if earlier != digest {
            let message =
                "this key was used for a request with other parameters; make a new one for each"
            effects.append(
                .reply(token, .failure(WireError(.keyReused, message, path: "/params/key"))))
        } else if let answer = known?.answer ?? requests.pending[use.key]?.answer {
            effects.append(.reply(token, .success(.remembered(answer))))
        } else {
            requests.pending[use.key]?.tokens.append(token)
        }
        return false
    }

    // MARK: Keeping

    /// Has the change that a rename just made carry the rename's key.
    func keepRename(of id: Int64, _ token: RequestToken, _ effects: inout [Effect]) {
        guard let key = requests.keys[token], let use = requests.pending[key]?.use,
            let index = effects.lastIndex(where: { $0.isCommit(of: .user(id)) }),
            case .commit(_, let change) = effects[index], case .user(_, let transitions) = change,
            let last = transitions.last, case .loaded(let user) = last.state
        else { return }
        let forgotten = requests.memory.makeRoom(for: use)
        let record = record(key, .user(user, revision: last.revision), last.revision)
        effects[index] = .commit(
            .user(id), .remember([record].compactMap(\.self), forgetting: forgotten, with: change))
    }

    /// Has the change that a fetch just made carry the keys of all that asked for it, or drops those of a failed one.
    func keepPage(
        of list: MovieListName, orDrop riders: [RequestToken], _ effects: inout [Effect]
    ) {
        guard lists[list]?.isStoring == true else {
            for token in riders { drop(token) }
            return
        }
        guard !requests.isIdle, let answer = lists[list]?.answerOnItsWay,
            case .movies(_, _, let revision, _, _) = answer,
            let index = effects.lastIndex(where: { $0.isCommit(of: .list(list)) }),
            case .commit(let owner, let change) = effects[index]
        else { return }
        let keys = (lists[list]?.askers ?? []).compactMap { requests.keys[$0] }
        guard !keys.isEmpty else { return }
        let forgotten = keys.compactMap { requests.pending[$0]?.use }
            .flatMap { requests.memory.makeRoom(for: $0) }
        let records = keys.compactMap { record($0, answer, revision) }
        effects[index] = .commit(owner, .remember(records, forgetting: forgotten, with: change))
    }

    /// Makes the record of a request that the store is about to be given.
    private func record(
        _ key: RequestKey, _ answer: RequestAnswer, _ revision: UInt64
    ) -> AnsweredRequest? {
        guard let pending = requests.pending[key] else { return nil }
        let record = AnsweredRequest(
            key: key, digest: pending.digest, answer: pending.answer ?? answer, revision: revision,
            servedMilliseconds: requests.memory.served(at: pending.use.uptime))
        requests.pending[key]?.record = record
        return record
    }

    private func keepAlone(
        _ key: RequestKey, _ answer: RequestAnswer, _ effects: inout [Effect]
    ) {
        guard let use = requests.pending[key]?.use else { return }
        let forgotten = requests.memory.makeRoom(for: use)
        guard let record = record(key, answer, revisions.next(&effects)) else { return }
        requests.alone.append(key)
        effects.append(.commit(.requests, .remember([record], forgetting: forgotten, with: nil)))
    }

    // MARK: Answering

    /// The requests that were answered before it is known what becomes of the fetch that they asked for.
    func riders(of list: MovieListName) -> [RequestToken] {
        requests.isIdle ? [] : lists[list]?.riders ?? []
    }

    /// Has each answer of a request with a key go to all that sent it, and only once its key is durable.
    func answerAlike(_ effects: inout [Effect]) {
        let decided = effects
        effects = []
        for effect in decided {
            guard case .reply(let token, let result) = effect, let key = requests.keys[token],
                let pending = requests.pending[key]
            else {
                effects.append(effect)
                continue
            }
            switch result {
            case .failure:
                drop(token)
                effects += pending.tokens.map { .reply($0, result) }
            case .success(let reply):
                succeeded(token, key, pending, answer(of: reply), &effects)
            }
        }
    }

    private func succeeded(
        _ token: RequestToken, _ key: RequestKey, _ pending: RequestBook.Pending,
        _ answer: RequestAnswer?, _ effects: inout [Effect]
    ) {
        if let record = pending.record {
            requests.memory.remember(record)
            drop(token)
            effects += pending.tokens.map { .reply($0, .success(.remembered(record.answer))) }
            return
        }
        guard let answer else { preconditionFailure("a request with a key has no answer") }
        if lists.values.contains(where: { $0.isRiding(token) }) {
            requests.pending[key]?.answer = answer
            requests.pending[key]?.tokens = []
            effects += pending.tokens.map { .reply($0, .success(.remembered(answer))) }
        } else {
            requests.keys[token] = nil
            keepAlone(key, answer, &effects)
        }
    }

    /// The fetch that answered requests asked for is done with.
    func settle(
        _ riders: [RequestToken], _ result: Result<Void, WireError>, _ effects: inout [Effect]
    ) {
        for token in riders {
            guard case .success = result, let key = requests.keys[token],
                let pending = requests.pending[key]
            else {
                drop(token)
                continue
            }
            requests.keys[token] = nil
            if let record = pending.record {
                requests.memory.remember(record)
                requests.pending[key] = nil
            } else if let answer = pending.answer {
                keepAlone(key, answer, &effects)
            }
        }
    }

    /// The oldest request that went to the store by itself is durable, or the store refused it.
    func remembered(_ result: Result<Void, WireError>, _ effects: inout [Effect]) {
        guard let pending = requests.pending.removeValue(forKey: requests.alone.removeFirst()),
            let record = pending.record
        else { return }
        switch result {
        case .success:
            requests.memory.remember(record)
            effects += pending.tokens.map { .reply($0, .success(.remembered(record.answer))) }
        case .failure(let error):
            effects += pending.tokens.map { .reply($0, .failure(error)) }
        }
    }

    private func drop(_ token: RequestToken) {
        guard let key = requests.keys.removeValue(forKey: token) else { return }
        requests.pending[key] = nil
    }

    /// What a request is answered now; nil where nothing is told that could be told again.
    private func answer(of reply: Reply) -> RequestAnswer? {
        switch reply {
        case .remembered(let answer): return answer
        case .user(let id):
            let (state, revision) = user(id)
            return state.user.map { .user($0, revision: revision) }
        case .movies(let name, let offset, let count):
            return lists[name].map {
                .movies(name, $0.status, revision: $0.revision, offset: offset, count: count)
            }
        case .moviesStatus(let name):
            return lists[name].map { .moviesStatus(name, $0.status, revision: $0.revision) }
        }
    }
}

extension Effect {
    fileprivate func isCommit(of owner: ChangeOwner) -> Bool {
        if case .commit(owner, _) = self { return true }
        return false
    }
}
