// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

@testable import UsherCore

struct HistoryTests {
    /// A history of the states 1 to `count`, each at ten times its number.
    private func history(_ count: Int) -> History<Int> {
        var history = History<Int>(initial: 0)
        for state in 0..<count { history.append(state + 1, revision: UInt64(state + 1) * 10) }
        return history
    }

    @Test func `A history begins with its initial state, at revision 0`() {
        let history = history(0)
        #expect(history.state == 0 && history.revision == 0 && history.count == 0)
        #expect(history.newest == nil && history.entry(after: 0) == nil)
        #expect(history.count(through: 0) == 0 && history.count(through: 5) == 0)
        #expect(History<Int>(initial: nil).state == nil)
    }

    @Test func `A revision stands for the transitions up to it`() {
        let history = history(3)
        #expect(history.state == 3 && history.revision == 30 && history.count == 3)
        #expect(
            [0, 9, 10, 11, 29, 30, 31].map { history.count(through: $0) } == [0, 0, 1, 1, 2, 3, 3])
        #expect((0...3).map { history.entry(after: $0)?.state } == [1, 2, 3, nil])
        #expect(history.entry(after: 1)?.revision == 20)
        #expect(history.entry(after: -1) == nil)
    }

    @Test(arguments: [256, 257, 300, 511, 512, 513, 1_000, 5_000])
    func `Exactly the last 256 transitions are given out`(count: Int) {
        let history = history(count)
        #expect(history.count == count)
        #expect(history.entry(after: count - 257) == nil)
        for place in count - 256..<count {
            #expect(history.entry(after: place)?.state == place + 1)
        }
        #expect(history.entry(after: count) == nil)
    }

    @Test func `What is remembered is bounded, and what is not says so`() {
        for count in [511, 512, 513, 767, 768, 10_000] {
            let history = history(count)
            #expect((0..<count).count { history.count(through: UInt64($0) * 10) != nil } <= 512)
        }
        let long = history(600)
        #expect(long.count(through: 0) == nil)
        #expect(long.count(through: 6_000) == 600)
        // A place that can be told is the right one.
        for state in 0...600 {
            let place = long.count(through: UInt64(state) * 10)
            #expect(place == nil || place == state)
        }
        #expect(long.count(through: (600 - 256) * 10) == 600 - 256)
    }

    @Test func `A stored history tells all that it has, and more only if it was whole`() {
        func stored(_ count: Int) -> History<Int> {
            History(
                initial: 0, entries: (1...count).map { .init(revision: UInt64($0) * 10, state: $0) }
            )
        }
        #expect(stored(255).count(through: 0) == 0)
        #expect(stored(256).count(through: 0) == nil)
        #expect(stored(256).count(through: 9) == nil)
        #expect(stored(256).count(through: 10) == 1)
    }
}
