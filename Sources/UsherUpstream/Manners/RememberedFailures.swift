// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// What a service was found not to have, for a short time: asking for it again gives the same failure at once.
///
/// Pure; moments are milliseconds of any clock that only grows.
struct RememberedFailures {
    private struct Entry {
        let error: UpstreamError
        let end: UInt64
    }

    private let limit: Int
    private let milliseconds: UInt64
    private var entries: [String: Entry] = [:]
    /// The keys, the first to end first: all last equally long.
    private var order: [String] = []

    /// Remembers at most `limit` failures for so many milliseconds each.
    init(limit: Int, milliseconds: UInt64) {
        self.limit = limit
        self.milliseconds = milliseconds
    }

    var count: Int { entries.count }

    func find(_ key: String, at now: UInt64) -> UpstreamError? {
        guard let entry = entries[key], now < entry.end else { return nil }
        return entry.error
    }

    /// Remembers a failure, if it is of those that last: the service has no such thing.
    ///
    /// The oldest one makes room.
    mutating func remember(_ error: UpstreamError, for key: String, at now: UInt64) {
        guard error.kind == .notFound || error.kind == .endOfList else { return }
        forget(key)
        while let oldest = order.first,
            order.count >= limit || entries[oldest].map({ $0.end <= now }) == true
        {
            entries[oldest] = nil
            order.removeFirst()
        }
        entries[key] = Entry(error: error, end: now + milliseconds)
        order.append(key)
    }

    /// Forgets a failure, since the thing is there now.
    mutating func forget(_ key: String) {
        guard entries.removeValue(forKey: key) != nil else { return }
        order.removeAll { $0 == key }
    }

    /// Forgets all whose keys begin with a text.
    mutating func forget(beginningWith prefix: String) {
        order.removeAll { $0.hasPrefix(prefix) }
        entries = entries.filter { !$0.key.hasPrefix(prefix) }
    }
}
