// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The end of a connection that its peer had not asked for.
struct Eviction: Equatable {
    enum Reason: String, Sendable, CaseIterable {
        /// The peer took nothing of what it was owed, for too long.
        case stalled
        /// The same, for a shorter time, while others wanted its place.
        case stalledWhenFull = "stalled_when_full"
        /// The peer began a line and did not end it.
        case partialLine = "partial_line"
    }

    let reason: Reason
    /// Milliseconds after the daemon's start.
    let uptime: UInt64
}

/// The evictions so far: how many, and the last ones of clients that have not come back yet to hear of them.
struct Evictions {
    /// How many clients are remembered; of more, those evicted longest ago are forgotten.
    static let remembered = 256

    private(set) var counts: [Eviction.Reason: Int] = [:]
    private var last: [Client: Eviction] = [:]
    /// The keys of ``last``, oldest first.
    private var order: [Client] = []

    private struct Client: Hashable {
        let name: String
        let uid: UInt32
    }

    /// Counts an eviction, and remembers it if the client had said its name.
    mutating func note(_ eviction: Eviction, of name: String?, _ uid: UInt32) {
        counts[eviction.reason, default: 0] += 1
        guard let name else { return }
        let client = Client(name: name, uid: uid)
        if last.updateValue(eviction, forKey: client) != nil { order.removeAll { $0 == client } }
        order.append(client)
        if order.count > Self.remembered { last[order.removeFirst()] = nil }
    }

    /// What a client that comes back has to hear, once.
    mutating func take(of name: String?, _ uid: UInt32) -> Eviction? {
        guard let name else { return nil }
        let client = Client(name: name, uid: uid)
        guard let eviction = last.removeValue(forKey: client) else { return nil }
        order.removeAll { $0 == client }
        return eviction
    }
}
