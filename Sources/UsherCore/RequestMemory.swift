// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// The requests with a key that were carried out lately: the last ``Limits/rememberedRequests``, none of them longer
/// than ``Limits/rememberedMilliseconds``.
///
/// Age is counted in time that daemons have served the store, which only grows and stands still between two of them. No
/// clock that someone can set has a say in it, so nothing is forgotten early. When there are too many, the uid that has
/// most loses its oldest: nobody can make another one's keys be forgotten by using many.
struct RequestMemory: Sendable {
    /// How many are kept, how long, and how many are forgotten at a time.
    struct Window: Sendable {
        var requests = Limits.rememberedRequests
        var milliseconds = UInt64(Limits.rememberedMilliseconds)
        /// What may pile up beyond ``requests``, so that the store is not told of each one.
        var slack = 512
    }

    private let window: Window
    /// The time that was served before this run.
    private let servedBefore: UInt64
    private var requests: [RequestKey: AnsweredRequest] = [:]
    private var queues: [UInt32: Queue] = [:]

    /// The keys of one uid, oldest first, with the revisions they are kept with.
    private struct Queue: Sendable {
        private var entries: [(key: RequestKey, revision: UInt64)] = []
        /// The oldest that is not forgotten.
        private var first = 0

        var count: Int { entries.count - first }
        var oldest: (key: RequestKey, revision: UInt64)? {
            first < entries.count ? entries[first] : nil
        }

        mutating func append(_ key: RequestKey, _ revision: UInt64) {
            entries.append((key, revision))
        }

        mutating func dropOldest() {
            first += 1
            guard first * 2 > entries.count else { return }
            entries.removeFirst(first)
            first = 0
        }
    }

    /// A memory of what a store kept, in the order in which it was carried out.
    init(_ stored: [AnsweredRequest] = [], window: Window = Window()) {
        self.window = window
        servedBefore = stored.map(\.servedMilliseconds).max() ?? 0
        for request in stored { remember(request) }
    }

    var count: Int { requests.count }

    /// The time served so far, for an uptime of this run.
    func served(at uptime: UInt64) -> UInt64 { servedBefore.addingUpToMax(uptime) }

    /// The request that a key was used for; nil if there was none, or it was too long ago.
    func request(_ use: KeyUse) -> AnsweredRequest? {
        guard let request = requests[use.key],
            !request.isOld(at: served(at: use.uptime), window.milliseconds)
        else { return nil }
        return request
    }

    mutating func remember(_ request: AnsweredRequest) {
        requests[request.key] = request
        queues[request.key.uid, default: Queue()].append(request.key, request.revision)
    }

    /// Forgets what is too old or too much before a request of `use` is remembered; says what the store may forget.
    mutating func makeRoom(for use: KeyUse) -> [ForgottenRequests] {
        var forgotten: [ForgottenRequests] = []
        let now = served(at: use.uptime)
        let lifetime = window.milliseconds
        let old = forgetOldest(of: use.key.uid) { $0.isOld(at: now, lifetime) }
        if let old { forgotten.append(old) }
        guard requests.count >= window.requests + window.slack else { return forgotten }
        var surplus = requests.count - window.requests
        while surplus > 0, let (uid, queue) = queues.max(by: { $0.value.count < $1.value.count }) {
            var share = min(surplus, queue.count)
            surplus -= share
            let many = forgetOldest(of: uid) { _ in
                share -= 1
                return share >= 0
            }
            if let many { forgotten.append(many) }
        }
        return forgotten
    }

    /// Forgets the oldest of a uid for as long as `isToGo` says so.
    private mutating func forgetOldest(
        of uid: UInt32, while isToGo: (AnsweredRequest) -> Bool
    ) -> ForgottenRequests? {
        var through: UInt64?
        while let oldest = queues[uid]?.oldest {
            // A key that was forgotten for its age may have been used again since: that use has an entry of its own.
            if let request = requests[oldest.key], request.revision == oldest.revision {
                guard isToGo(request) else { break }
                requests[oldest.key] = nil
            }
            queues[uid]?.dropOldest()
            through = oldest.revision
        }
        if queues[uid]?.count == 0 { queues[uid] = nil }
        return through.map { ForgottenRequests(uid: uid, through: $0) }
    }
}

extension AnsweredRequest {
    fileprivate func isOld(at now: UInt64, _ lifetime: UInt64) -> Bool {
        now > servedMilliseconds.addingUpToMax(lifetime)
    }
}

extension UInt64 {
    /// The sum, or the largest number there is: a store may hold any number, and none is to end the daemon.
    fileprivate func addingUpToMax(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
