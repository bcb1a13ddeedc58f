// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherCore
import UsherWire

struct MovieSubscriptionTests {
    private let topic = Topic.movies(.popular)

    /// Two pages of three movies each, kept at revisions 2 and 4.
    private func filled() -> Bench {
        var bench = Bench()
        bench.load([1, 2, 3])
        bench.load([4, 5, 6])
        return bench
    }

    @Test func `A list is a snapshot first, and appended to from there`() {
        var bench = filled()
        let start = bench.subscribe(to: topic).start
        #expect(start.reason == .noCursor && !start.more)
        #expect(start.snapshot?.words == "reset 0..<6")
        #expect(start.subscription.sent == 4)
        bench.load([7, 8])
        #expect(bench.pushes(start.subscription) == ["4→6 append 6..<8"])
    }

    @Test func `An empty list is a snapshot too`() {
        var bench = Bench()
        let start = bench.subscribe(to: topic).start
        #expect(start.snapshot?.words == "reset 0..<0" && start.subscription.sent == 0)
    }

    @Test func `A change of the status alone is pushed without movies`() {
        var bench = filled()
        let subscription = bench.subscribe(to: topic).start.subscription
        _ = bench.more(1)
        #expect(bench.pushes(subscription) == ["4→5 append 6..<6"])
        _ = bench.missPage()
        #expect(bench.pushes(subscription) == ["5→6 append 6..<6"])
    }

    @Test func `A snapshot that does not fit is cut, and has a cursor when it is whole`() {
        var bench = filled()
        let start = bench.subscribe(to: topic, budget: 22).start
        #expect(start.more && start.snapshot?.words == "reset 0..<2")
        #expect(start.subscription.sent == 0)
        #expect(
            bench.pushes(start.subscription, budget: 22)
                == ["0→4 append 2..<4 more", "0→4 append 4..<6"])
        #expect(start.subscription.sent == 4)
    }

    @Test func `A list that grows while it is sent in parts is sent to its new end`() {
        var bench = filled()
        let subscription = bench.subscribe(to: topic, budget: 44).start.subscription
        bench.load([7, 8])
        #expect(
            bench.pushes(subscription, budget: 22) == ["0→6 append 4..<6 more", "0→6 append 6..<8"])
    }

    @Test func `A list that begins anew while it is sent in parts is sent anew`() {
        var bench = filled()
        let subscription = bench.subscribe(to: topic, budget: 22).start.subscription
        #expect(
            bench.core.nextPush(for: subscription, budget: 22)?.body.words == "append 2..<4")
        bench.reload([7, 8, 9])
        #expect(
            bench.pushes(subscription, budget: 22) == ["0→6 reset 0..<2 more", "0→6 append 2..<3"])
    }

    @Test func `What a slow subscriber missed comes in parts, with one cursor at the end`() {
        var bench = filled()
        let subscription = bench.subscribe(to: topic).start.subscription
        bench.load([7, 8])
        bench.load([9])
        #expect(
            bench.pushes(subscription, budget: 11) == [
                "4→8 append 6..<7 more", "4→8 append 7..<8 more", "4→8 append 8..<9",
            ])
    }

    @Test func `A new generation is a reset, and appended to from 0`() {
        var bench = filled()
        let subscription = bench.subscribe(to: topic).start.subscription
        bench.reload([4, 9])
        bench.load([10])
        #expect(bench.pushes(subscription) == ["4→8 reset 0..<3"])
        bench.load([11])
        #expect(bench.pushes(subscription) == ["8→10 append 3..<4"])
    }

    @Test func `A reset between two parts of another reset starts again`() {
        var bench = filled()
        let subscription = bench.subscribe(to: topic).start.subscription
        bench.reload([7, 8])
        #expect(bench.core.nextPush(for: subscription, budget: 11)?.more == true)
        bench.reload([9, 10])
        #expect(
            bench.pushes(subscription, budget: 11) == ["4→8 reset 0..<1 more", "4→8 append 1..<2"])
    }

    // MARK: Going on from a cursor

    @Test func `From a cursor exactly the movies after it follow`() {
        var bench = filled()
        for (since, expected) in [
            (UInt64(4), [] as [String]), (3, ["3→4 append 3..<6"]), (2, ["2→4 append 3..<6"]),
            (1, ["1→4 append 0..<6"]), (0, ["0→4 append 0..<6"]),
        ] {
            let start = bench.subscribe(to: topic, since: since).start
            #expect(start.reason == nil && start.snapshot == nil && !start.more)
            #expect(bench.pushes(start.subscription) == expected)
        }
    }

    @Test func `A cursor of an earlier generation brings a snapshot, one of this one does not`() {
        var bench = filled()
        bench.reload([7, 8])
        bench.load([9])
        for since in 0..<6 {
            let start = bench.subscribe(to: topic, since: UInt64(since)).start
            #expect(start.reason == .listReset)
            #expect(start.snapshot?.words == "reset 0..<3" && start.subscription.sent == 8)
        }
        let start = bench.subscribe(to: topic, since: 6).start
        #expect(start.reason == nil)
        #expect(bench.pushes(start.subscription) == ["6→8 append 2..<3"])
    }

    @Test func `A peer that was cut off between parts gets them again, from its cursor on`() {
        var bench = filled()
        let first = bench.subscribe(to: topic, since: 2).start.subscription
        #expect(bench.core.nextPush(for: first, budget: 11)?.body.words == "append 3..<4")
        bench.core.unsubscribe(first)
        let second = bench.subscribe(to: topic, since: first.sent).start
        #expect(second.reason == nil)
        #expect(bench.pushes(second.subscription) == ["2→4 append 3..<6"])
    }

    @Test func `A peer that was cut off within a snapshot gets all of it`() {
        var bench = filled()
        let first = bench.subscribe(to: topic, budget: 11).start.subscription
        bench.core.unsubscribe(first)
        let second = bench.subscribe(to: topic, since: first.sent).start
        #expect(second.reason == nil)
        #expect(bench.pushes(second.subscription) == ["0→4 append 0..<6"])
        bench.reload([9])
        #expect(bench.subscribe(to: topic, since: first.sent).start.reason == .listReset)
    }

    @Test func `A cursor that got ahead, or of another history, is not believed`() {
        var bench = filled()
        #expect(bench.subscribe(to: topic, since: 5).start.reason == .ahead)
        var effects: [Effect] = []
        let start = bench.core.subscribe(
            session, to: topic, name: "s", mode: .latest,
            since: Cursor(epoch: Epoch(value: 1), revision: 4), budget: .max, &effects)
        #expect(start.reason == .epochChanged && start.snapshot?.words == "reset 0..<6")
    }

    @Test func `A stored cursor goes on after a restart, one of what was lost is told anew`() {
        var stored = blank
        stored.reservedThrough = 100
        stored.lists = [
            .init(
                name: .popular, generation: 5,
                progress: .init(revision: 9, page: 3, pages: 5, isComplete: false),
                movies: [movie(1), movie(2), movie(3)],
                marks: [
                    .init(revision: 5, count: 1), .init(revision: 7, count: 2),
                    .init(revision: 9, count: 3),
                ])
        ]
        var bench = Bench(stored)
        let kept = bench.subscribe(to: topic, since: 7)
        #expect(kept.start.reason == nil && kept.effects == [])
        #expect(bench.pushes(kept.start.subscription) == ["7→9 append 2..<3"])
        #expect(bench.subscribe(to: topic, since: 4).start.reason == .listReset)
        // At 10 the list was loading, which nobody does any more; or it had failed, if the store refused page 3.
        let lost = bench.subscribe(to: topic, since: 10)
        #expect(lost.start.reason == nil && lost.effects == ["changed movies/popular"])
        #expect(bench.pushes(lost.start.subscription) == ["10→101 append 2..<3"])
        #expect(bench.pushes(kept.start.subscription) == ["9→101 append 3..<3"])
    }

    @Test func `A page that the store refused and kept reaches those who saw it refused`() {
        var before = filled()
        _ = before.more(1)
        _ = before.arrive([7])
        _ = before.refuseList()
        let seen = before.core.list(.popular)?.revision ?? 0
        var stored = blank
        stored.reservedThrough = 100
        stored.lists = [
            .init(
                name: .popular, generation: 0,
                progress: .init(revision: seen - 1, page: 3, pages: 5, isComplete: false),
                movies: (1...7).map(movie),
                marks: [
                    .init(revision: 2, count: 3), .init(revision: 4, count: 6),
                    .init(revision: seen - 1, count: 7),
                ])
        ]
        var bench = Bench(stored)
        let start = bench.subscribe(to: topic, since: seen).start
        #expect(start.reason == nil)
        #expect(bench.pushes(start.subscription) == ["\(seen)→101 append 6..<7"])
    }

    @Test func `A new generation that the store refused and kept is no surprise either`() {
        var stored = blank
        stored.reservedThrough = 100
        stored.lists = [
            .init(
                name: .popular, generation: 8,
                progress: .init(revision: 8, page: 1, pages: 5, isComplete: false),
                movies: [movie(9)], marks: [.init(revision: 8, count: 1)])
        ]
        var bench = Bench(stored)
        // At 9 the refresh had failed, and the movies of before were still there; at 8 it had not.
        #expect(bench.subscribe(to: topic, since: 9).start.reason == .listReset)
        let start = bench.subscribe(to: topic, since: 8).start
        #expect(start.reason == nil && bench.pushes(start.subscription) == [])
    }

    @Test func `A list that is loading again after a restart needs no other change`() {
        var stored = blank
        stored.reservedThrough = 100
        var bench = Bench(stored)
        _ = bench.more(1)
        let start = bench.subscribe(to: topic, since: 50)
        #expect(start.start.reason == nil && start.effects == [])
        #expect(bench.pushes(start.start.subscription) == ["50→101 append 0..<0"])
    }
}
