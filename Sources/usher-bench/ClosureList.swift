// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The floor that streams are measured against: closures in a list, under a lock.
///
/// It keeps the order of calls for one thread that sends, and promises nothing else: no turns, no
/// first value, no end, no loops.
final class ClosureList<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var entries: [(number: Int, body: @Sendable (Element) -> Void)] = []
        var nextNumber = 0
    }

    private let state = Mutex(State())

    func send(_ element: Element) {
        let entries = state.withLock { $0.entries }
        for entry in entries { entry.body(element) }
    }

    func add(_ body: @escaping @Sendable (Element) -> Void) -> Int {
        state.withLock { state in
            defer { state.nextNumber += 1 }
            state.entries.append((state.nextNumber, body))
            return state.nextNumber
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            if let index = state.entries.firstIndex(where: { $0.number == number }) {
                state.entries.remove(at: index)
            }
        }
    }
}

/// The floor of a loop: an array under a lock, filled by a closure and emptied one by one.
final class LockedArray<Element: Sendable>: Sendable {
    private let state = Mutex((elements: [Element](), taken: 0))

    func append(_ element: Element) {
        state.withLock { $0.elements.append(element) }
    }

    func next() -> Element? {
        state.withLock { state in
            guard state.taken < state.elements.count else { return nil }
            defer { state.taken += 1 }
            return state.elements[state.taken]
        }
    }
}
