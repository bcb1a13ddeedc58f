// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The one way into a loop from what stands for other threads.
package final class Inbox: Sendable {
    private struct State {
        var isOpen = true
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    var hasJobs: Bool { state.withLock { !$0.waiting.isEmpty } }

    package func post(_ job: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.isOpen { state.waiting.append(job) }
        }
    }

    package func post<Value>(
        to box: LoopBound<Value>, _ job: @escaping @Sendable (Value) -> Void
    ) {
        post { job(box.value) }
    }

    func close() {
        let dropped = state.withLock { state in
            defer { state = State(isOpen: false) }
            return state.waiting
        }
        withExtendedLifetime(dropped) {}
    }

    func runWaitingJobs() {
        let jobs = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in jobs { job() }
    }
}
