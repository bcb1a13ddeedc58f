// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Observation
import Synchronization
import Testing
import UsherStreams

struct SettingTests {
    @Test func `update changes the value in place when nobody else holds it`() {
        let copies = Tally()
        let stream = StateStream(Pages())
        let last = Atomic(0)
        let subscription = stream.observe { last.store($0.count, ordering: .relaxed) }
        let loop = stream.makeAsyncIterator()
        for _ in 0..<500 {
            stream.update { copies.add($0.append(20) ? 1 : 0) }
        }
        withExtendedLifetime((subscription, loop)) {}
        #expect(last.load(ordering: .relaxed) == 10_000)
        #expect(copies.count == 0)
    }

    @Test func `update leaves alone the value that somebody holds`() {
        let stream = StateStream(Pages())
        let held = stream.value
        stream.update { _ = $0.append(20) }
        #expect(held.count == 0)
        #expect(stream.value.count == 20)
    }

    // On the main actor, so that nothing is told a second time in between.
    @MainActor
    @Test func `A change is told to withObservationTracking once it can be read`() {
        let stream = StateStream(0)
        let log = Log<Int>()
        let first = withObservationTracking {
            stream.value
        } onChange: {
            log.append(stream.value)
        }
        stream.set(1)
        stream.set(2)
        #expect(first == 0)
        #expect(log.entries == [1])
        withObservationTracking {
            _ = stream.value
        } onChange: {
            log.append(stream.value)
        }
        stream.update { $0 += 1 }
        #expect(log.entries == [1, 3])
    }
}

/// A value that tells whether a change had to copy it.
private struct Pages: Sendable {
    private final class Storage: Sendable {
        let count: Atomic<Int>

        init(_ count: Int) {
            self.count = Atomic(count)
        }
    }

    private var storage = Storage(0)

    var count: Int { storage.count.load(ordering: .relaxed) }

    /// Returns true when it copied.
    mutating func append(_ more: Int) -> Bool {
        let isCopied = !isKnownUniquelyReferenced(&storage)
        if isCopied { storage = Storage(count) }
        storage.count.add(more, ordering: .relaxed)
        return isCopied
    }
}
