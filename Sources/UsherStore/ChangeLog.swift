// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherCore

/// Where changes are kept, so that the daemon finds them again when it starts.
///
/// Called on one thread, the loop's. Revisions of one topic grow from change to change; that is the caller's duty.
package protocol ChangeLog: AnyObject {
    /// Opens or creates the store, and blocks for it; called once, before the loop runs.
    ///
    /// A new store gets a random epoch. Before this returns, a block of `StoreLimits.revisionBlock` revisions is
    /// reserved durably: `reservedThrough` of the returned state is the highest revision that an earlier run can
    /// have used, and the caller may use the revisions up to `reservedThrough + StoreLimits.revisionBlock` without
    /// a `Change.reserve`.
    func open() throws(StoreError) -> StoredState

    /// Queues a change and returns at once; `completion` runs once, when the change is durable or refused.
    ///
    /// Completions run in the order of the calls, on the store's worker thread if it has one, and must not block.
    /// A store that is not open refuses on the calling thread.
    ///
    /// `generation` is the number of completions with a failure, of this store since it was opened, that the caller
    /// had heard of when it computed the change. A change that was computed before the caller heard of a failure is
    /// refused with that failure, because it may build on what was not stored. Each refusal is a failure itself.
    func commit(
        _ change: Change, generation: Int,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    /// Calls back once what was queued before has been settled, on the thread that settles it: a sign that it lives.
    ///
    /// Never calls back when the store is not open.
    func confirmAlive(completion: @escaping @Sendable () -> Void)

    /// Has `tell` called with the reason each time that the store begins to refuse every change, before it refuses the
    /// first, and with nil each time that it takes changes again; on the thread that completions run on.
    ///
    /// Called once at most. A store that only ever refuses single changes has nothing to tell.
    func watchHealth(_ tell: @escaping @Sendable (StoreError?) -> Void)

    /// Waits until all that was queued is durable, then closes; not to be called in a completion.
    ///
    /// A closed store may be closed again, and opened again.
    func close()

    /// How the store fares, counted since it was opened.
    var status: StoreStatus { get }
}

extension ChangeLog {
    package func watchHealth(_ tell: @escaping @Sendable (StoreError?) -> Void) {}
}

/// Every limit of the stores.
package enum StoreLimits {
    /// Revisions that are reserved when a store is opened: so many changes that need no durability can happen in one
    /// run before the store must be asked for more, and so many starts use up the 2^63 there are: 2^31.
    package static let revisionBlock = Revisions.block
    /// How long a store that failed is left alone between two attempts to write.
    static let probeInterval: Duration = .seconds(1)
    /// Bytes of a store up to which it is checked when it is opened after a crash; 256 MiB take about a second.
    static let checkedBytes: Int64 = 256 << 20
    /// Pages in the write-ahead log after which they are copied into the store: 4 MiB.
    static let checkpointPages = 1_000
    /// Bytes that the write-ahead log keeps after it once grew beyond them.
    static let logBytes = 64 << 20
}
