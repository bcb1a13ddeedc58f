// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherCore
import UsherWire

@testable import UsherStore

/// What is queued while the worker is busy is stored together.
///
/// A completion that waits keeps the worker busy.
struct GroupCommitTests {
    private let folder: TemporaryFolder
    private let log: SQLiteChangeLog
    private let stored = Monitor<[UInt64]>([])
    private let refused = Monitor<[UInt64: StoreError]>([:])
    private let isHeld = DispatchSemaphore(value: 0)
    private let release = DispatchSemaphore(value: 0)

    init() throws {
        folder = try TemporaryFolder()
        log = SQLiteChangeLog(path: folder.store)
        _ = try log.open()
    }

    private func holdWorker() {
        log.commit(Sample.append(1), generation: 0) { [isHeld, release] _ in
            isHeld.signal()
            release.wait()
        }
        isHeld.wait()
    }

    private func queue(_ revision: UInt64, _ change: Change) {
        log.commit(change, generation: 0) { [stored, refused] result in
            if let error = result.error {
                refused.update { $0[revision] = error }
            } else {
                stored.update { $0.append(revision) }
            }
        }
    }

    @Test func `All that waited goes into one transaction`() throws {
        holdWorker()
        for revision in UInt64(2)...101 { queue(revision, Sample.append(revision)) }
        release.signal()
        log.close()
        #expect(log.status.commits == 101)
        #expect(log.status.transactions == 2)
        #expect(log.status.largestGroup == 100)
        #expect(try log.open().lists.first?.movies.count == 101)
        log.close()
    }

    @Test func `A refused change does not take those with it that came before`() throws {
        holdWorker()
        queue(2, Sample.user(revision: 2))
        queue(3, Sample.append(3))
        queue(4, Sample.user(revision: 2))
        queue(5, Sample.append(5))
        release.signal()
        log.close()
        #expect(stored.snapshot == [2, 3])
        let error = try #require(refused.snapshot[4])
        #expect(error.kind == .rejected)
        #expect(refused.snapshot == [4: error, 5: error])
        #expect(try log.open().lists.first?.movies.map(\.id) == [1, 3])
        log.close()
    }

    @Test func `Closing stores what is queued`() throws {
        holdWorker()
        for revision in UInt64(2)...50 { queue(revision, Sample.append(revision)) }
        let closed = Monitor(false)
        Thread.detachNewThread { [log, closed] in
            log.close()
            closed.update { $0 = true }
        }
        release.signal()
        closed.wait { $0 ? () : nil }
        #expect(stored.snapshot == Array(2...50))
    }
}
