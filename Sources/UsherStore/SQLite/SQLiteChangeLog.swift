// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherCore

/// A store in one SQLite file, written by one thread of its own with group commit.
///
/// All that is queued while one transaction is made durable goes into the next. The file is made with mode 0600, its
/// folder, where missing, with 0700; beside the file are `-wal`, SQLite's log, and `.lock`.
package final class SQLiteChangeLog: ChangeLog, Sendable {
    private let path: String
    private let probeInterval: Duration
    private let desk = Monitor(CommitDesk())

    package convenience init(path: String) {
        self.init(path: path, probeInterval: StoreLimits.probeInterval)
    }

    init(path: String, probeInterval: Duration) {
        self.path = path
        self.probeInterval = probeInterval
    }

    deinit {
        desk.update { $0.stopAccepting() }
    }

    package func open() throws(StoreError) -> StoredState {
        desk.update { desk in
            precondition(desk.phase == .closed, "a store is opened once")
            desk = CommitDesk(phase: .opening, tellHealth: desk.tellHealth)
        }
        WorkerThread.start(named: "usher-store") { [path, probeInterval, desk] in
            CommitWorker.run(path: path, probeInterval: probeInterval, desk: desk)
        }
        let outcome = desk.wait { desk in
            defer { desk.opened = nil }
            return desk.opened
        }
        return try outcome.get()
    }

    package func commit(
        _ change: Change, generation: Int,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        let request = CommitRequest(
            change: change, generation: generation, completion: completion)
        let isQueued = desk.update { $0.accept(request) }
        if !isQueued { completion(.failure(StoreError(.closed, "\(path) is not open"))) }
    }

    package func confirmAlive(completion: @escaping @Sendable () -> Void) {
        desk.update { desk in
            if desk.phase == .open { desk.askers.append(completion) }
        }
    }

    package func watchHealth(_ tell: @escaping @Sendable (StoreError?) -> Void) {
        desk.update { $0.tellHealth = tell }
    }

    package func close() {
        desk.update { $0.stopAccepting() }
        desk.wait { $0.phase == .closed ? () : nil }
    }

    /// How the store fares; may be read on any thread.
    package var status: StoreStatus { desk.snapshot.status }
}

/// A change that waits to be stored.
struct CommitRequest: Sendable {
    let change: Change
    let generation: Int
    let completion: @Sendable (Result<Void, StoreError>) -> Void
}

/// What the callers and the worker share.
struct CommitDesk: Sendable {
    enum Phase: Sendable { case closed, opening, open, closing }

    var phase = Phase.closed
    /// Whom to tell that the store is degraded, and why, or well again.
    var tellHealth: (@Sendable (StoreError?) -> Void)?
    /// What came of opening, until the opener takes it.
    var opened: Result<StoredState, StoreError>?
    var waiting: [CommitRequest] = []
    /// Whom to tell that the worker lives.
    var askers: [@Sendable () -> Void] = []
    var status = StoreStatus()

    mutating func accept(_ request: CommitRequest) -> Bool {
        guard phase == .open else { return false }
        waiting.append(request)
        return true
    }

    mutating func stopAccepting() {
        if phase == .open { phase = .closing }
    }
}
