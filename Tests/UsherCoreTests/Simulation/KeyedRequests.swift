// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherWire

/// The requests with a key that peers sent, and what they were answered: the model behind I7.
struct KeyedRequests {
    enum Call {
        case rename(Int64, Int)
        case fetch(MovieListName, page: Int?, waits: Bool)
        case refresh(MovieListName)

        /// Whether its answer says that it is durable, and not only begun.
        fileprivate var isAnsweredWhenDurable: Bool {
            switch self {
            case .rename: true
            case .fetch(_, _, let waits): waits
            case .refresh: false
            }
        }
    }

    private var calls: [Call] = []
    private var keys: [RequestToken: RequestKey] = [:]
    /// What each was answered first.
    private var answers: [RequestKey: RequestAnswer] = [:]

    var count: Int { calls.count }

    mutating func add(_ call: Call) -> RequestKey {
        calls.append(call)
        return key(calls.count - 1)
    }

    func request(_ index: Int) -> (key: RequestKey, call: Call) { (key(index), calls[index]) }

    private func key(_ index: Int) -> RequestKey {
        RequestKey(uid: UInt32(index % 3), text: String(index))
    }

    private func call(_ key: RequestKey) -> Call? { Int(key.text).map { calls[$0] } }

    /// Whether a request is on its way, or on disk.
    func isKnown(_ key: RequestKey, _ store: FakeStore) -> Bool {
        store.keys[key] == 1 || keys.values.contains(key)
    }

    mutating func sent(_ token: RequestToken, _ key: RequestKey) { keys[token] = key }

    /// Looks whether an answer is the one that was given before; true if there was one.
    mutating func check(
        _ token: RequestToken, _ result: Result<Reply, WireError>, _ store: FakeStore
    ) throws(Violation) -> Bool {
        guard let key = keys.removeValue(forKey: token), let call = call(key) else { return false }
        try Violation.require(store.keys[key] ?? 0 <= 1, "I7: \(key.text) is done once")
        guard case .success(let reply) = result else {
            if case .failure(let error) = result {
                try Violation.require(error.reason != .keyReused, "I7: \(key.text) is one request")
            }
            // What was only begun may have failed since, and is sent again then as if it were new.
            try Violation.require(
                answers[key] == nil || !call.isAnsweredWhenDurable,
                "I7: \(key.text) was done, and is refused when sent again")
            return false
        }
        guard case .remembered(let answer) = reply else {
            throw Violation("I7: \(key.text) is answered as if it had no key")
        }
        if call.isAnsweredWhenDurable {
            try Violation.require(store.keys[key] == 1, "I7: \(key.text) is on disk with its key")
        }
        let first = answers.updateValue(answer, forKey: key)
        guard let first, call.isAnsweredWhenDurable || store.keys[key] == 1 else { return false }
        try Violation.require(
            first == answer || !call.isAnsweredWhenDurable, "I7: \(key.text) is answered alike")
        return first == answer
    }

    /// The daemon is gone: nobody waits any more, and what was not on disk was not done.
    mutating func crash(_ store: FakeStore) {
        keys = [:]
        answers = answers.filter { store.keys[$0.key] == 1 }
    }
}
