// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import UsherCore

@testable import UsherStore

struct LivenessTests {
    @Test(arguments: StoreKind.allCases)
    func `A sign of life comes after what was queued before it`(kind: StoreKind) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        let order = Order()
        for number in 1...3 {
            store.log.commit(.reserve(through: UInt64(number)), generation: 0) { _ in
                order.note("\(number)")
            }
        }
        await withCheckedContinuation { continuation in
            store.log.confirmAlive {
                order.note("alive")
                continuation.resume()
            }
        }
        #expect(order.notes == ["1", "2", "3", "alive"])
    }

    @Test(arguments: StoreKind.allCases)
    func `A store that is closed gives none`(kind: StoreKind) throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        store.log.close()
        let order = Order()
        store.log.confirmAlive { order.note("alive") }
        _ = try store.open()
        store.log.close()
        #expect(order.notes == [])
    }
}

/// What happened, in order.
private final class Order: Sendable {
    private let list = Mutex<[String]>([])

    var notes: [String] { list.withLock { $0 } }

    func note(_ text: String) { list.withLock { $0.append(text) } }
}
