// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherStore

/// The store of one process: a queue, and a worker that the walk moves, as a thread of its own would.
///
/// It latches as the real one does: after a failure everything is refused until a write of its own succeeds, and so is
/// what was made before the caller heard of the last refusal.
final class SimulatedStore: ChangeLog {
    private struct Request {
        let change: Change
        let generation: Int
        let completion: @Sendable (Result<Void, StoreError>) -> Void
    }

    private let disk: Disk
    private let trace: Trace
    private var queue: [Request] = []
    /// Written and not synced.
    private var writing: [Request] = []
    private var isOpen = false
    private(set) var status = StoreStatus()
    private var tellHealth: @Sendable (StoreError?) -> Void = { _ in }
    private static let failure = StoreError(.io, "the disk failed")

    init(_ disk: Disk, _ trace: Trace) {
        self.disk = disk
        self.trace = trace
    }

    func open() throws(StoreError) -> StoredState {
        isOpen = true
        let found = disk.synced
        disk.reserve()
        return found
    }

    func commit(
        _ change: Change, generation: Int,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(StoreError(.closed, "closed"))) }
        queue.append(Request(change: change, generation: generation, completion: completion))
    }

    func confirmAlive(completion: @escaping @Sendable () -> Void) {
        Kernel.onAnotherThread(completion)
    }

    func watchHealth(_ tell: @escaping @Sendable (StoreError?) -> Void) { tellHealth = tell }

    func close() {
        while hasWork { work(all: true) }
        isOpen = false
    }

    // MARK: The worker

    var hasWork: Bool { !queue.isEmpty || !writing.isEmpty }

    /// Whether something is queued that not even the operating system has yet.
    var hasQueued: Bool { !queue.isEmpty }

    /// Takes one step: writes what is queued, all or the oldest of it, or syncs what was written.
    func work(all: Bool) {
        Kernel.onAnotherThread { step(all: all) }
    }

    /// Tries to write again, as the worker does a second after a failure.
    func probe() {
        guard status.isDegraded else { return }
        status.probes += 1
        guard !disk.isBroken else { return }
        trace.count(.storeRepaired)
        status.isDegraded = false
        Kernel.onAnotherThread { tellHealth(nil) }
    }

    private func step(all: Bool) {
        guard writing.isEmpty else { return finish() }
        var group: [Request] = []
        while let next = queue.first, group.isEmpty || all {
            queue.removeFirst()
            if status.isDegraded || next.generation < status.failures {
                refuse(next)
            } else {
                group.append(next)
            }
        }
        guard !group.isEmpty else { return }
        disk.write(group.map(\.change))
        writing = group
    }

    private func finish() {
        let group = writing
        writing = []
        guard !disk.isBroken else {
            trace.count(.storeBroken)
            disk.failToSync()
            status.isDegraded = true
            tellHealth(Self.failure)
            for request in group { refuse(request) }
            return
        }
        disk.sync()
        if group.count > 1 { trace.count(.groupCommit) }
        status.commits += group.count
        for request in group { request.completion(.success(())) }
    }

    private func refuse(_ request: Request) {
        trace.count(.changeRefused)
        status.failures += 1
        status.lastError = Self.failure
        request.completion(.failure(Self.failure))
    }
}
