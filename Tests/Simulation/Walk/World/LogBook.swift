// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Synchronization
import UsherEventLoop

/// The daemon's log, as far as promises are made about it.
final class LogBook: Sendable {
    /// A connection that the daemon closed on its own.
    struct Eviction {
        let isStalled: Bool
        let at: UInt64
    }

    private struct Pages {
        var refusals: Set<Int32> = []
        var evictions: [Int32: Eviction] = [:]
    }

    private let pages = Mutex(Pages())
    private let isShown: Bool

    init(isShown: Bool) { self.isShown = isShown }

    func take(_ record: String) {
        if isShown { say("\tlog\t\(record)") }
        let words = record.split(separator: " ")
        pages.withLock { pages in
            if record.contains("was refused"), words.count > 3, let pid = Int32(words[3]) {
                pages.refusals.insert(pid)
            } else if record.contains("is cut off as"), let pid = Int32(words[1]) {
                pages.evictions[pid] = Eviction(
                    isStalled: !record.contains("partial_line"),
                    at: Kernel.now)
            }
        }
    }

    /// Whether it was recorded that a process asked for what it had no right to.
    ///
    /// That is recorded once a connection, and here each connection is of a process of its own.
    func hasRefusal(of pid: Int32) -> Bool { pages.withLock { $0.refusals.contains(pid) } }

    /// Why a process's connection was cut off.
    func eviction(of pid: Int32) -> Eviction? { pages.withLock { $0.evictions[pid] } }
}
