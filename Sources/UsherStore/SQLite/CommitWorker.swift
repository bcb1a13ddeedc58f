// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherCore

/// The thread that owns the database: takes what is queued, stores it as one transaction, tells the callers.
///
/// A failure that is the store's fault latches: nothing is tried for the callers any more, so that none is told that its
/// change is durable by a disk that only seems to work again, until a write of the worker's own succeeds.
final class CommitWorker {
    private let path: String
    private let probeInterval: Duration
    private let desk: Monitor<CommitDesk>
    private let database: StoreDatabase
    private let clock = SuspendingClock()
    /// How many completions were given a failure.
    private var failures = 0
    private var lastFailure = StoreError(.other, "no change failed yet")
    /// When to try to write again, while the store is degraded.
    private var nextProbe: SuspendingClock.Instant?

    /// The body of the thread: from opening to closing.
    static func run(path: String, probeInterval: Duration, desk: Monitor<CommitDesk>) {
        do throws(StoreError) {
            try serve(path: path, probeInterval: probeInterval, desk: desk)
            desk.update { $0.phase = .closed }
        } catch {
            desk.update { desk in
                desk.phase = .closed
                desk.opened = .failure(error)
            }
        }
    }

    /// Returns when the store is closed, connection, lock and all.
    private static func serve(
        path: String, probeInterval: Duration, desk: Monitor<CommitDesk>
    ) throws(StoreError) {
        let database = try StoreDatabase(path: path)
        desk.update { desk in
            desk.phase = .open
            desk.opened = .success(database.stored)
        }
        CommitWorker(path: path, probeInterval: probeInterval, desk: desk, database: database)
            .work()
    }

    private init(
        path: String, probeInterval: Duration, desk: Monitor<CommitDesk>, database: StoreDatabase
    ) {
        self.path = path
        self.probeInterval = probeInterval
        self.desk = desk
        self.database = database
    }

    private func work() {
        while let (requests, askers) = nextRequests() {
            if let nextProbe, clock.now >= nextProbe { probe() }
            settle(requests)
            for tell in askers { tell() }
        }
        // When this fails, the next start finds the mark of a crash and checks the file: no harm.
        if nextProbe == nil { try? database.finish() }
    }

    /// What was taken off the desk at once.
    private typealias Tray = (requests: [CommitRequest], askers: [@Sendable () -> Void])

    /// Sleeps until there is something to store or to answer; nil at the end.
    ///
    /// Empty when it is time to probe.
    private func nextRequests() -> Tray? {
        let take = { (desk: inout CommitDesk) -> Tray?? in
            if !desk.waiting.isEmpty || !desk.askers.isEmpty {
                defer {
                    desk.waiting.removeAll()
                    desk.askers.removeAll()
                }
                return (desk.waiting, desk.askers)
            }
            return desk.phase == .closing ? .some(nil) : nil
        }
        guard let nextProbe else { return desk.wait(take) }
        return desk.wait(timeout: max(.zero, clock.now.duration(to: nextProbe)), take) ?? ([], [])
    }

    private func settle(_ requests: [CommitRequest]) {
        var rest = requests[...]
        while let first = rest.first {
            if nextProbe != nil || first.generation < failures {
                fail(first, lastFailure)
                rest.removeFirst()
            } else {
                rest = store(rest)
            }
        }
    }

    /// Stores all, or as many as come before one that is refused; gives what is not settled.
    private func store(_ requests: ArraySlice<CommitRequest>) -> ArraySlice<CommitRequest> {
        var applied = 0
        do throws(SQLiteFailure) {
            try database.store(requests.lazy.map(\.change), applied: &applied)
        } catch {
            let failure = StoreError(error, path: path)
            if failure.isHard {
                degrade(failure)
                database.overwriteFailure()
                return requests
            }
            if applied == 0 || applied == requests.count {
                fail(requests[requests.startIndex], failure)
                return requests.dropFirst()
            }
            // Those before it must not suffer for having been grouped with it.
            let end = requests.startIndex + applied
            let unsettled = store(requests[..<end])
            return requests[(unsettled.isEmpty ? end : unsettled.startIndex)...]
        }
        desk.update { desk in
            desk.status.commits += requests.count
            desk.status.transactions += 1
            desk.status.largestGroup = max(desk.status.largestGroup, requests.count)
        }
        for request in requests { request.completion(.success(())) }
        return []
    }

    private func fail(_ request: CommitRequest, _ failure: StoreError) {
        failures += 1
        lastFailure = failure
        desk.update { desk in
            desk.status.failures += 1
            desk.status.lastError = failure
        }
        request.completion(.failure(failure))
    }

    private func degrade(_ failure: StoreError) {
        let wasWell = nextProbe == nil
        lastFailure = failure
        nextProbe = clock.now.advanced(by: probeInterval)
        let tellHealth = desk.update { desk in
            desk.status.isDegraded = true
            desk.status.lastError = failure
            return desk.tellHealth
        }
        if wasWell { tellHealth?(failure) }
    }

    private func probe() {
        desk.update { $0.status.probes += 1 }
        do throws(SQLiteFailure) {
            try database.probe()
        } catch {
            degrade(StoreError(error, path: path))
            return
        }
        nextProbe = nil
        let tellHealth = desk.update { desk in
            desk.status.isDegraded = false
            return desk.tellHealth
        }
        tellHealth?(nil)
    }
}
