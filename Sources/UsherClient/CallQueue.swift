// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A request whose caller waits.
struct PendingCall: Sendable {
    typealias Outcome = Result<[UInt8], ClientError>
    typealias Continuation = CheckedContinuation<Outcome, Never>

    let method: String
    let line: [UInt8]
    let timeout: Duration
    let deadline: ContinuousClock.Instant
    let continuation: Continuation
    /// What is done with it if the connection is lost.
    var repetition: Request.Repetition
    var isSent = false
}

/// The requests whose callers wait, and which of them are still to be sent.
///
/// Whoever takes a call out is the one who resumes its caller.
struct CallQueue: Sendable {
    private var calls: [Int: PendingCall] = [:]
    /// Ids in the order in which they are to be sent.
    private var unsent: [Int] = []
    /// No call is due before this instant; nil when there is none.
    ///
    /// It is not moved when calls go, which costs one look too many at times, and saves one at each
    /// call.
    private(set) var nextDeadline: ContinuousClock.Instant?

    var count: Int { calls.count }

    /// Adds a call; true if it is due before all others.
    mutating func add(_ call: PendingCall, id: Int) -> Bool {
        calls[id] = call
        unsent.append(id)
        if let nextDeadline, nextDeadline <= call.deadline { return false }
        nextDeadline = call.deadline
        return true
    }

    mutating func remove(_ id: Int) -> PendingCall? {
        guard let call = calls.removeValue(forKey: id) else { return nil }
        if !call.isSent { unsent.removeAll { $0 == id } }
        return call
    }

    /// Whether a call stays, to be sent on the next connection, although it was refused: the daemon
    /// that refused it was stopping, and may have carried it out.
    func keeps(_ id: Int, refusedFor reason: String?) -> Bool {
        reason == "shutting_down" && calls[id]?.repetition == .untilAnswered
    }

    /// The next line to send, which counts as sent.
    mutating func takeUnsent() -> [UInt8]? {
        guard !unsent.isEmpty else { return nil }
        let id = unsent.removeFirst()
        calls[id]?.isSent = true
        return calls[id]?.line
    }

    /// Takes out the calls whose time is over.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [PendingCall] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let expired = calls.filter { $0.value.deadline <= now }.keys.sorted()
        let removed = expired.compactMap { remove($0) }
        self.nextDeadline = calls.values.map(\.deadline).min()
        return removed
    }

    /// After the end of a connection: takes out what may not be sent again, and keeps the rest for
    /// the next one.
    mutating func removeUnrepeatable() -> [PendingCall] {
        let sent = calls.filter(\.value.isSent)
        let removed = sent.filter { $0.value.repetition == .never }.keys.sorted()
        for (id, call) in sent {
            calls[id]?.isSent = false
            if call.repetition == .once { calls[id]?.repetition = .never }
        }
        unsent = calls.keys.sorted()
        return removed.compactMap { remove($0) }
    }

    mutating func removeAll() -> [PendingCall] {
        defer { self = CallQueue() }
        return calls.sorted { $0.key < $1.key }.map(\.value)
    }
}
