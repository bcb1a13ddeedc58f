// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// The tests own their threads: a pool on a small machine gives too few of them, and a test that
// needs four at a barrier would wait for ever.

import Foundation
import Synchronization
import UsherStreams

/// Runs the body on so many threads, which start together, and returns when all have returned.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let start = Barrier(count)
    let returned = Barrier(count + 1)
    for index in 0..<count {
        Thread {
            start.wait()
            body(index)
            returned.wait()
        }.start()
    }
    returned.wait()
}

/// A meeting point that can be used again and again.
final class Barrier: Sendable {
    private let parties: Int
    private let arrived = Atomic(0)

    init(_ parties: Int) {
        self.parties = parties
    }

    /// Returns when so many threads have come.
    func wait() {
        let mine = arrived.add(1, ordering: .acquiringAndReleasing).oldValue
        let goal = (mine / parties + 1) * parties
        while arrived.load(ordering: .acquiring) < goal { sched_yield() }
    }
}

/// A door that is opened once, for everybody.
final class Gate: Sendable {
    private let open = Atomic(false)

    var isOpen: Bool { open.load(ordering: .acquiring) }

    func unlock() {
        open.store(true, ordering: .releasing)
    }

    func wait() {
        while !isOpen { sched_yield() }
    }

    /// The same for a task, which must not block its executor's thread.
    func waitAsync() async {
        while !isOpen { await Task.yield() }
    }
}
