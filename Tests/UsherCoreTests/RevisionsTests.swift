// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

@testable import UsherCore

struct RevisionsTests {
    /// What drawing so many revisions wants done.
    private func draw(_ count: Int, _ revisions: inout Revisions) -> [String] {
        var effects: [Effect] = []
        for _ in 0..<count { _ = revisions.next(&effects) }
        return effects.map(\.words)
    }

    @Test func `Revisions go on after the last run's, one by one`() {
        var revisions = Revisions(after: 41)
        var effects: [Effect] = []
        #expect(revisions.last == 41)
        #expect(revisions.next(&effects) == 42)
        #expect(revisions.next(&effects) == 43)
        #expect(revisions.last == 43)
        #expect(effects.isEmpty)
    }

    @Test func `A new block is asked for once when half of the last one is used`() {
        var revisions = Revisions(after: 100, block: 10)
        #expect(draw(5, &revisions) == [])
        #expect(draw(1, &revisions) == ["keep revisions to 120"])
        #expect(draw(3, &revisions) == [])
        revisions.reserved(true)
        #expect(draw(6, &revisions) == [])
        #expect(draw(1, &revisions) == ["keep revisions to 130"])
        #expect(revisions.last == 116)
    }

    @Test func `A block that was refused is asked for again with the next revision`() {
        var revisions = Revisions(after: 0, block: 10)
        #expect(draw(6, &revisions) == ["keep revisions to 20"])
        revisions.reserved(false)
        #expect(draw(1, &revisions) == ["keep revisions to 20"])
        #expect(draw(1, &revisions) == [])
    }

    @Test func `A core takes a block's answer`() {
        var bench = Bench()
        #expect(bench.handle(.committed(.revisions, .success(()))) == [])
        #expect(bench.handle(.committed(.revisions, .failure(WireError(.degraded, "")))) == [])
    }

    @Test func `A block is as large as a store reserves when it is opened`() {
        #expect(Revisions.block == 1 << 32)
    }
}
