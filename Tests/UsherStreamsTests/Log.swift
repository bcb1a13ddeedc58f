// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Synchronization
import UsherStreams

/// What was seen, in the order it was seen, from any thread.
final class Log<Element: Sendable>: Sendable {
    private let guarded = Guarded<[Element]>([])

    var entries: [Element] { guarded.withLock { $0 } }

    func append(_ element: Element) {
        guarded.withLock { $0.append(element) }
    }
}

/// Somewhere to put a value that a closure made earlier needs.
final class Slot<Value: Sendable>: Sendable {
    private let guarded = Guarded<Value?>(nil)

    var value: Value? { guarded.withLock { $0 } }

    func put(_ value: Value?) {
        let old = guarded.withLock { slot in
            defer { slot = value }
            return slot
        }
        _ = old
    }
}

/// A number that any thread may change.
final class Tally: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .acquiring) }

    /// Returns the count before.
    @discardableResult
    func add(_ difference: Int = 1) -> Int {
        number.add(difference, ordering: .acquiringAndReleasing).oldValue
    }
}

/// An object whose instances are counted, and which can run something as it goes.
final class Token: Sendable {
    let number: Int
    private let living: Tally
    private let farewell: @Sendable () -> Void

    init(
        _ number: Int = 0, in living: Tally = Tally(), farewell: @escaping @Sendable () -> Void = {}
    ) {
        self.number = number
        self.living = living
        self.farewell = farewell
        living.add()
    }

    deinit {
        living.add(-1)
        farewell()
    }
}
