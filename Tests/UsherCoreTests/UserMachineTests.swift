// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherCore
import UsherWire

struct UserMachineTests {
    @Test func `A first fetch goes from initial over loading to loaded`() {
        var bench = Bench()
        #expect(bench.state == "initial")
        #expect(bench.core.user(7).revision == 0)
        #expect(bench.fetch(1) == ["changed user/7", "fetch user/7"])
        #expect(bench.state == "loading")
        #expect(bench.arrive("Ada") == ["keep user/7 Ada: 1 loading, 2 loaded Ada"])
        #expect(bench.state == "loading", "nothing is shown before it is kept")
        #expect(bench.keepUser() == ["1: user/7", "changed user/7"])
        #expect(bench.state == "loaded Ada")
        #expect(bench.core.user(7).revision == 2)
    }

    @Test func `A failed fetch is answered and shown, and stored with the next success`() {
        var bench = Bench()
        _ = bench.fetch(1)
        #expect(bench.miss(.notFound) == ["1: ! not_found", "changed user/7"])
        #expect(bench.state == "error not_found")
        #expect(bench.fetch(2) == ["changed user/7", "fetch user/7"])
        #expect(
            bench.arrive("Ada") == [
                "keep user/7 Ada: 1 loading, 2 error not_found, 3 loading, 4 loaded Ada"
            ])
    }

    @Test func `A fetch in flight is joined, and its end answers all in order`() {
        var bench = Bench()
        _ = bench.fetch(1)
        #expect(bench.fetch(2) == [])
        #expect(bench.fetch(3, waits: false) == ["3: user/7"])
        #expect(bench.fetch(4) == [])
        #expect(bench.arrive("Ada").count == 1)
        #expect(
            bench.keepUser() == ["1: user/7", "2: user/7", "4: user/7", "changed user/7"])
    }

    @Test func `A joined fetch that fails answers all with its error`() {
        var bench = Bench()
        _ = bench.fetch(1)
        _ = bench.fetch(2)
        #expect(bench.miss() == ["1: ! timeout", "2: ! timeout", "changed user/7"])
    }

    @Test func `Who does not wait is answered with loading, before the push`() {
        var bench = Bench()
        #expect(
            bench.fetch(1, waits: false) == ["1: user/7", "changed user/7", "fetch user/7"])
        _ = bench.arrive("Ada")
        #expect(bench.keepUser() == ["changed user/7"])
    }

    @Test func `A fetch between arrival and commit is a new one, behind the first`() {
        var bench = Bench()
        _ = bench.fetch(1)
        _ = bench.arrive("Ada")
        #expect(bench.fetch(2) == ["keep user/7 Ada: 3 loading", "fetch user/7"])
        #expect(bench.keepUser() == ["1: user/7", "changed user/7"])
        #expect(bench.state == "loaded Ada")
        #expect(bench.keepUser() == ["changed user/7"])
        #expect(bench.state == "loading")
        #expect(bench.arrive("Eve") == ["keep user/7 Eve: 4 loaded Eve"])
        #expect(bench.keepUser() == ["2: user/7", "changed user/7"])
    }

    // MARK: Renames

    @Test func `A rename is kept, then answered, then shown`() {
        var bench = Bench.loaded()
        #expect(bench.rename("Lady", 1) == ["keep user/7 Ada as Lady: 3 loaded Lady"])
        #expect(bench.state == "loaded Ada")
        #expect(bench.keepUser() == ["1: user/7", "changed user/7"])
        #expect(bench.state == "loaded Lady")
    }

    @Test func `A user that is not loaded is not renamed`() {
        var bench = Bench()
        #expect(bench.rename("Lady", 1) == ["1: ! invalid_transition"])
        #expect(bench.core.user(7).revision == 0)
        _ = bench.fetch(2)
        #expect(bench.rename("Lady", 3) == ["3: ! invalid_transition"])
        _ = bench.miss()
        #expect(bench.rename("Lady", 4) == ["4: ! invalid_transition"])
        #expect(bench.state == "error timeout")
    }

    @Test func `A rename while a loaded user is fetched again is refused`() {
        var bench = Bench.loaded()
        _ = bench.fetch(1)
        #expect(bench.rename("Lady", 2) == ["2: ! invalid_transition"])
    }

    @Test func `Renames in flight are kept and answered in order, each with its own revision`() {
        var bench = Bench.loaded()
        #expect(bench.rename("A", 1) == ["keep user/7 Ada as A: 3 loaded A"])
        #expect(bench.rename("B", 2) == ["keep user/7 Ada as B: 4 loaded B"])
        #expect(bench.rename("C", 3) == ["keep user/7 Ada as C: 5 loaded C"])
        for (token, name, revision) in [(1, "A", 3), (2, "B", 4), (3, "C", 5)] {
            #expect(bench.keepUser() == ["\(token): user/7", "changed user/7"])
            #expect(bench.state == "loaded \(name)")
            #expect(bench.core.user(7).revision == revision)
        }
    }

    @Test func `A rename may follow a load that is not kept yet`() {
        var bench = Bench()
        _ = bench.fetch(1)
        _ = bench.arrive("Ada")
        #expect(bench.rename("Lady", 2) == ["keep user/7 Ada as Lady: 3 loaded Lady"])
        #expect(bench.keepUser() == ["1: user/7", "changed user/7"])
        #expect(bench.keepUser() == ["2: user/7", "changed user/7"])
    }

    @Test func `A fetch waits behind a rename, so that revisions only grow`() {
        var bench = Bench.loaded()
        _ = bench.rename("Lady", 1)
        #expect(
            bench.fetch(2, waits: false) == ["keep user/7 Ada as Lady: 4 loading", "fetch user/7"])
        #expect(bench.state == "loaded Ada")
        #expect(bench.miss() == ["keep user/7 Ada as Lady: 5 error timeout"])
        #expect(bench.keepUser() == ["1: user/7", "changed user/7"])
        #expect(bench.keepUser() == ["2: user/7", "changed user/7"])
        #expect(bench.state == "loading")
        #expect(bench.keepUser() == ["changed user/7"])
        #expect(bench.state == "error timeout")
    }

    @Test func `A fetch that ends before a rename is kept takes the rename over`() {
        var bench = Bench.loaded()
        _ = bench.rename("Lady", 1)
        _ = bench.fetch(2)
        #expect(bench.arrive("Augusta") == ["keep user/7 Augusta as Lady: 5 loaded Lady"])
    }

    @Test func `A rename survives later fetches and failures`() {
        var bench = Bench.loaded()
        _ = bench.rename("Lady", 1)
        _ = bench.keepUser()
        _ = bench.fetch(2)
        _ = bench.miss()
        _ = bench.fetch(3)
        #expect(
            bench.arrive("Augusta") == [
                "keep user/7 Augusta as Lady: "
                    + "4 loading, 5 error timeout, 6 loading, 7 loaded Lady"
            ])
        _ = bench.keepUser()
        #expect(bench.state == "loaded Lady")
    }

    // MARK: Refusals

    @Test func `A rename that is not stored is answered so, and nothing is shown`() {
        var bench = Bench.loaded()
        _ = bench.rename("Lady", 1)
        #expect(bench.refuseUser() == ["1: ! degraded"])
        #expect(bench.state == "loaded Ada")
        #expect(bench.core.user(7).revision == 2)
        #expect(bench.rename("Eve", 2) == ["keep user/7 Ada as Eve: 4 loaded Eve"])
    }

    @Test func `A load that is not stored is an error, and its steps ride with the next`() {
        var bench = Bench()
        _ = bench.fetch(1)
        _ = bench.arrive("Ada")
        #expect(bench.refuseUser() == ["1: ! degraded", "changed user/7"])
        #expect(bench.state == "error disk full")
        _ = bench.fetch(2)
        #expect(
            bench.arrive("Ada") == [
                "keep user/7 Ada: 1 loading, 3 error disk full, 4 loading, 5 loaded Ada"
            ])
    }

    @Test func `Steps refused together end in one error, with nothing left loading`() {
        var bench = Bench()
        _ = bench.fetch(1)
        _ = bench.arrive("Ada")
        _ = bench.rename("Lady", 2)
        #expect(bench.refuseUser() == ["1: ! degraded"])
        #expect(bench.state == "loading")
        #expect(bench.refuseUser() == ["2: ! degraded", "changed user/7"])
        #expect(bench.state == "error disk full")
    }

    @Test func `A fetch whose loading is refused with a rename is shown when it is under way`() {
        var bench = Bench.loaded()
        _ = bench.rename("Lady", 1)
        _ = bench.fetch(2, waits: false)
        #expect(bench.refuseUser() == ["1: ! degraded"])
        #expect(bench.refuseUser() == ["2: ! degraded", "changed user/7"])
        #expect(bench.state == "loading")
        _ = bench.arrive("Ada")
        #expect(bench.keepUser() == ["changed user/7"])
        #expect(bench.state == "loaded Ada")
    }

    @Test func `A failed fetch whose end is refused is shown all the same`() {
        var bench = Bench.loaded()
        _ = bench.rename("Lady", 1)
        _ = bench.fetch(2)
        _ = bench.miss(.notFound)
        #expect(bench.refuseUser() == ["1: ! degraded"])
        #expect(bench.refuseUser() == [])
        #expect(bench.refuseUser() == ["changed user/7"])
        #expect(bench.state == "error not_found")
    }

    @Test func `At most 256 transitions wait to be stored`() {
        var bench = Bench()
        for _ in 0..<200 {
            _ = bench.fetch(1)
            _ = bench.miss()
        }
        _ = bench.fetch(1)
        let effects = bench.effects(
            of: .userFetched(7, .success(User(id: 7, name: "Ada", username: "u"))))
        guard case .commit(_, .user(_, let transitions))? = effects.first else {
            Issue.record("nothing was given to the store")
            return
        }
        #expect(transitions.count == Limits.historyTransitions + 1)
        #expect(transitions.map(\.revision) == Array(146...402))
    }

    // MARK: Restarts

    private func stored(_ transitions: [Transition], rename: String? = nil) -> StoredState {
        var state = blank
        state.reservedThrough = 100
        state.users = [
            .init(
                record: UserRecord(
                    user: User(id: 7, name: "Ada", username: "u"), rename: rename),
                transitions: transitions)
        ]
        return state
    }

    @Test func `A loaded user is served at once after a restart, at its old revision`() {
        let lady = UserState.loaded(User(id: 7, name: "Lady", username: "u"))
        let bench = Bench(stored([.init(revision: 9, state: lady)], rename: "Lady"))
        #expect(bench.firstEffects == [])
        #expect(bench.state == "loaded Lady")
        #expect(bench.core.user(7).revision == 9)
    }

    @Test func `A load that a restart cut off is not shown for ever`() {
        let ada = UserState.loaded(User(id: 7, name: "Ada", username: "u"))
        var bench = Bench(
            stored([.init(revision: 8, state: ada), .init(revision: 9, state: .loading)]))
        #expect(bench.state == "loaded Ada")
        #expect(bench.core.user(7).revision == 101)
        #expect(bench.firstEffects == ["changed user/7"])
        #expect(
            bench.rename("Lady", 1)
                == ["keep user/7 Ada as Lady: 101 loaded Ada, 102 loaded Lady"])
    }

    @Test func `Users are apart from each other`() {
        var bench = Bench.loaded()
        bench.id = 8
        #expect(bench.state == "initial")
        _ = bench.fetch(1)
        #expect(bench.arrive("Eve") == ["keep user/8 Eve: 3 loading, 4 loaded Eve"])
        bench.id = 7
        #expect(bench.rename("Lady", 2) == ["keep user/7 Ada as Lady: 5 loaded Lady"])
    }
}
