// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherCore
import UsherWire

/// Topics that are a state: users and the engine.
struct SubscriptionTests {
    @Test func `A subscription without a cursor begins with the state, before the first load too`()
    {
        var bench = Bench()
        let (start, effects) = bench.subscribe(to: .user(7))
        #expect(start.reason == .noCursor && !start.more)
        #expect(start.snapshot?.words == "initial")
        #expect(start.subscription.sent == 0)
        #expect(effects == [])
        #expect(bench.pushes(start.subscription) == [])
        _ = bench.fetch(1)
        #expect(bench.pushes(start.subscription) == ["0→1 loading"])
    }

    @Test func `Snapshot and cursor are of one instant, and each change is pushed once`() {
        var bench = Bench.loaded()
        let start = bench.subscribe(to: .user(7)).start
        #expect(start.snapshot?.words == "loaded Ada")
        #expect(start.subscription.sent == 2)
        _ = bench.rename("A", 1)
        #expect(!bench.core.isBehind(start.subscription))
        #expect(bench.pushes(start.subscription) == [])
        _ = bench.keepUser()
        #expect(bench.core.isBehind(start.subscription))
        #expect(bench.pushes(start.subscription) == ["2→3 loaded A"])
        #expect(!bench.core.isBehind(start.subscription))
        #expect(bench.pushes(start.subscription) == [])
    }

    /// A bench whose user is renamed so many times, from revision 3 on.
    private func renamed(_ count: Int, _ bench: inout Bench) {
        for number in 0..<count {
            _ = bench.rename("N\(number)", 1)
            _ = bench.keepUser()
        }
    }

    @Test func `Mode latest sends the newest state and how many it left out`() {
        var bench = Bench.loaded()
        let subscription = bench.subscribe(to: .user(7)).start.subscription
        renamed(5, &bench)
        #expect(bench.pushes(subscription) == ["2→7 loaded N4 skipped 4"])
        renamed(1, &bench)
        #expect(bench.pushes(subscription) == ["7→8 loaded N0"])
    }

    @Test func `Mode all sends each transition, in an unbroken chain`() {
        var bench = Bench.loaded()
        let subscription = bench.subscribe(to: .user(7), mode: .all).start.subscription
        renamed(3, &bench)
        #expect(
            bench.pushes(subscription) == ["2→3 loaded N0", "3→4 loaded N1", "4→5 loaded N2"])
    }

    @Test func `Mode all sends 256 transitions whole`() {
        var bench = Bench.loaded()
        let subscription = bench.subscribe(to: .user(7), mode: .all).start.subscription
        renamed(256, &bench)
        let pushes = bench.pushes(subscription)
        #expect(pushes.count == 256)
        #expect(pushes.first == "2→3 loaded N0" && pushes.last == "257→258 loaded N255")
    }

    @Test(arguments: [257, 300, 600, 1_100])
    func `Mode all tells of a gap when more went by than is remembered`(count: Int) {
        var bench = Bench.loaded()
        let subscription = bench.subscribe(to: .user(7), mode: .all).start.subscription
        renamed(count, &bench)
        #expect(
            bench.pushes(subscription)
                == ["2→\(count + 2) loaded N\(count - 1) skipped \(count - 1) gap"])
        renamed(2, &bench)
        #expect(bench.pushes(subscription).count == 2)
    }

    @Test func `A subscription that ended is owed nothing, and others go on`() {
        var bench = Bench.loaded()
        let first = bench.subscribe(to: .user(7)).start.subscription
        let second = bench.subscribe(to: .user(7)).start.subscription
        #expect(bench.core.subscriberCount(of: .user(7)) == 2)
        bench.core.unsubscribe(first)
        bench.core.unsubscribe(first)
        #expect(bench.core.subscriberCount(of: .user(7)) == 1)
        bench.core.unsubscribe(second)
        #expect(bench.core.subscriberCount(of: .user(7)) == 0)
        bench.core.unsubscribe(second)
        #expect(bench.core.subscriberCount(of: .user(7)) == 0)
    }

    // MARK: Going on from a cursor

    @Test func `From a cursor exactly what was missed follows`() {
        var bench = Bench.loaded()
        renamed(3, &bench)
        for (mode, expected) in [
            (SubscriptionMode.latest, ["3→5 loaded N2 skipped 1"]),
            (.all, ["3→4 loaded N1", "4→5 loaded N2"]),
        ] {
            let start = bench.subscribe(to: .user(7), since: 3, mode: mode).start
            #expect(start.reason == nil && start.snapshot == nil)
            #expect(start.subscription.sent == 3)
            #expect(bench.pushes(start.subscription) == expected)
        }
        let start = bench.subscribe(to: .user(7), since: 5).start
        #expect(start.reason == nil)
        #expect(bench.pushes(start.subscription) == [])
    }

    @Test func `A cursor of the beginning brings everything, while it is remembered`() {
        var bench = Bench.loaded()
        let start = bench.subscribe(to: .user(7), since: 0, mode: .all).start
        #expect(start.reason == nil)
        #expect(bench.pushes(start.subscription) == ["0→1 loading", "1→2 loaded Ada"])
    }

    @Test func `A cursor that got ahead of the history is not believed`() {
        var bench = Bench.loaded()
        let (start, effects) = bench.subscribe(to: .user(7), since: 3)
        #expect(start.reason == .ahead)
        #expect(start.snapshot?.words == "loaded Ada" && start.subscription.sent == 2)
        #expect(effects == [])
    }

    @Test func `A cursor of another history is not believed`() {
        let bench = Bench.loaded()
        var effects: [Effect] = []
        let start = bench.core.subscribe(
            session, to: .user(7), name: "s", mode: .latest,
            since: Cursor(epoch: Epoch(value: 0xBAD), revision: 1), budget: .max, &effects)
        #expect(start.reason == .epochChanged)
        #expect(start.snapshot?.words == "loaded Ada")
    }

    @Test func `A cursor from too long ago brings a snapshot`() {
        var bench = Bench.loaded()
        renamed(600, &bench)
        #expect(bench.subscribe(to: .user(7), since: 2).start.reason == .tooOld)
        let start = bench.subscribe(to: .user(7), since: 602 - 256, mode: .all).start
        #expect(start.reason == nil)
        #expect(bench.pushes(start.subscription).count == 256)
    }

    @Test func `A cursor from before a wide gap says so in mode all`() {
        var bench = Bench.loaded()
        renamed(300, &bench)
        let start = bench.subscribe(to: .user(7), since: 2, mode: .all).start
        #expect(start.reason == nil)
        #expect(bench.pushes(start.subscription) == ["2→302 loaded N299 skipped 299 gap"])
    }

    @Test func `A cursor of another topic's later change goes on with this topic's next`() {
        var bench = Bench.loaded()
        _ = bench.handle(.engine(EngineEvent(step: .start, phase: .did)))
        let start = bench.subscribe(to: .user(7), since: 3).start
        #expect(start.reason == nil)
        #expect(bench.pushes(start.subscription) == [])
        _ = bench.fetch(1)
        #expect(bench.pushes(start.subscription) == ["3→4 loading"])
    }

    // MARK: After a restart

    private func restarted() -> Bench {
        var stored = blank
        stored.reservedThrough = 100
        let ada = User(id: 7, name: "Ada", username: "u")
        stored.users = [
            .init(
                record: UserRecord(user: ada),
                transitions: [
                    .init(revision: 8, state: .loading), .init(revision: 9, state: .loaded(ada)),
                ])
        ]
        return Bench(stored)
    }

    @Test func `A stored cursor goes on after a restart`() {
        var bench = restarted()
        let start = bench.subscribe(to: .user(7), since: 8, mode: .all).start
        #expect(start.reason == nil)
        #expect(bench.pushes(start.subscription) == ["8→9 loaded Ada"])
    }

    @Test func `Who saw what was not stored is shown what is, as a new change`() {
        var bench = restarted()
        let (start, effects) = bench.subscribe(to: .user(7), since: 50)
        #expect(start.reason == nil)
        #expect(effects == ["changed user/7"])
        #expect(bench.pushes(start.subscription) == ["50→101 loaded Ada"])
        #expect(bench.subscribe(to: .user(7), since: 60).effects == [], "one change serves all")
    }

    @Test func `Who saw what was not stored hears it even if the step on its way is refused`() {
        for isKept in [true, false] {
            var bench = restarted()
            _ = bench.rename("Lady", 1)
            let (start, effects) = bench.subscribe(to: .user(7), since: 50)
            #expect(start.reason == nil && effects == [])
            if isKept {
                #expect(bench.keepUser() == ["1: user/7", "changed user/7"])
                #expect(bench.pushes(start.subscription) == ["50→101 loaded Lady"])
            } else {
                #expect(bench.refuseUser() == ["1: ! degraded", "changed user/7"])
                #expect(bench.pushes(start.subscription) == ["50→102 loaded Ada"])
            }
        }
    }

    @Test func `Who saw a user of whom nothing was stored is shown that, at no lasting cost`() {
        var bench = restarted()
        let (start, effects) = bench.subscribe(to: .user(5), since: 50)
        #expect(effects == ["changed user/5"])
        #expect(bench.pushes(start.subscription) == ["50→101 initial"])
        #expect(bench.core.user(5).revision == 101)
        bench.id = 5
        _ = bench.rename("x", 1)
        #expect(bench.core.user(5).revision == 101, "kept as long as someone listens")
        bench.core.unsubscribe(start.subscription)
        #expect(bench.core.user(5).revision == 0, "and forgotten after that")
        let again = bench.subscribe(to: .user(5), since: 101).start
        #expect(again.reason == nil)
        _ = bench.fetch(1)
        #expect(bench.pushes(again.subscription) == ["101→102 loading"])
    }

    @Test func `A loaded user is not forgotten when nobody listens`() {
        var bench = Bench.loaded()
        bench.core.unsubscribe(bench.subscribe(to: .user(7)).start.subscription)
        #expect(bench.state == "loaded Ada")
    }

    // MARK: The engine

    @Test func `The engine's life is pushed step by step`() {
        var bench = Bench()
        let start = bench.subscribe(to: .engine, mode: .all).start
        #expect(start.snapshot?.words == "nothing")
        for phase in [EngineEvent.Phase.will, .did] {
            #expect(
                bench.handle(.engine(EngineEvent(step: .reload, phase: phase)))
                    == ["changed engine"])
        }
        #expect(bench.pushes(start.subscription) == ["0→1 will reload", "1→2 did reload"])
        let late = bench.subscribe(to: .engine).start
        #expect(late.snapshot?.words == "did reload" && late.subscription.sent == 2)
        #expect(bench.subscribe(to: .engine, since: 1).start.reason == nil)
    }

    @Test func `The engine of an earlier run is history`() {
        var bench = restarted()
        _ = bench.handle(.engine(EngineEvent(step: .start, phase: .did)))
        let start = bench.subscribe(to: .engine, since: 100).start
        #expect(start.reason == .tooOld)
        #expect(start.snapshot?.words == "did start")
        #expect(bench.subscribe(to: .engine, since: 101).start.reason == nil)
    }
}
