// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Answers that a service gave, to be used again when it says that nothing has changed since.
///
/// An answer is never used without asking: the service is told what marks it, and says `304` or sends the new one.
/// Bounded by number and by bytes; what was not used for longest goes first. Pure.
struct RememberedAnswers {
    struct Entry {
        let response: HTTPResponse
        /// The place of the try that brought it among all tries.
        let attempt: UInt64
        fileprivate var use: UInt64 = 0
    }

    private let limit: Int
    private let byteLimit: Int
    private var entries: [String: Entry] = [:]
    private(set) var bytes = 0
    private var uses: UInt64 = 0

    init(limit: Int, bytes byteLimit: Int) {
        self.limit = limit
        self.byteLimit = byteLimit
    }

    var count: Int { entries.count }

    /// The newest answer for a key.
    mutating func find(_ key: String) -> Entry? {
        uses += 1
        entries[key]?.use = uses
        return entries[key]
    }

    /// Keeps an answer that was read and made sense; one without marks takes the place of none.
    ///
    /// Answers may come in another order than they were asked for: an older one never replaces a newer one.
    mutating func remember(_ response: HTTPResponse, for key: String, attempt: UInt64) {
        if let known = entries[key] {
            guard known.attempt < attempt else { return }
            remove(key)
        }
        let size = response.body.count
        guard response.validators != nil, !response.mustNotBeStored, size <= byteLimit else {
            return
        }
        while bytes + size > byteLimit || entries.count >= limit {
            guard let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key else { break }
            remove(oldest)
        }
        uses += 1
        entries[key] = Entry(response: response, attempt: attempt, use: uses)
        bytes += size
    }

    private mutating func remove(_ key: String) {
        bytes -= entries.removeValue(forKey: key)?.response.body.count ?? 0
    }
}
