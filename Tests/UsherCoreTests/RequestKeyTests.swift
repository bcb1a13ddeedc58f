// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherCore
import UsherWire

/// What a key is a promise of: done once, answered alike.
struct RequestKeyTests {
    private static func use(
        _ text: String = "k", uid: UInt32 = 5, uptime: UInt64 = 0
    ) -> KeyUse {
        KeyUse(RequestKey(uid: uid, text: text), uptime: uptime)
    }

    private let key = Self.use()

    // MARK: Renames

    @Test func `A rename is kept with its key, and answered alike however much came after`() {
        var bench = Bench.loaded()
        #expect(
            bench.rename("Grace", 1, key: key)
                == ["keep user/7 Ada as Grace: 3 loaded Grace, with k: user/7 Grace at 3"])
        #expect(bench.keepUser() == ["1: user/7 Grace at 3", "changed user/7"])
        _ = bench.rename("Eve", 2)
        _ = bench.keepUser()
        #expect(bench.rename("Grace", 3, key: key) == ["3: user/7 Grace at 3"])
        #expect(bench.state == "loaded Eve")
    }

    @Test func `What is sent again while the first is on its way joins it`() {
        var bench = Bench.loaded()
        _ = bench.rename("Grace", 1, key: key)
        #expect(bench.rename("Grace", 2, key: key) == [])
        #expect(bench.rename("Grace", 3, key: key) == [])
        #expect(
            bench.keepUser() == [
                "1: user/7 Grace at 3", "2: user/7 Grace at 3", "3: user/7 Grace at 3",
                "changed user/7",
            ])
    }

    @Test
    func `What the store refuses was not done: all who sent it hear so, and it can be sent again`()
    {
        var bench = Bench.loaded()
        _ = bench.rename("Grace", 1, key: key)
        _ = bench.rename("Grace", 2, key: key)
        #expect(bench.refuseUser() == ["1: ! degraded", "2: ! degraded"])
        _ = bench.rename("Grace", 3, key: key)
        #expect(bench.keepUser() == ["3: user/7 Grace at 4", "changed user/7"])
    }

    @Test func `A request that is refused leaves no key behind`() {
        var bench = Bench()
        #expect(bench.rename("Grace", 1, key: key) == ["1: ! invalid_transition"])
        _ = bench.fetch(0, waits: false)
        _ = bench.arrive("Ada")
        _ = bench.keepUser()
        #expect(bench.rename("Grace", 2, key: key).count == 1)
        #expect(bench.keepUser() == ["2: user/7 Grace at 3", "changed user/7"])
    }

    @Test(arguments: [true, false])
    func `The key of another request is refused, before and after that one is durable`(
        isDurable: Bool
    ) {
        var bench = Bench.loaded()
        _ = bench.rename("Grace", 1, key: key)
        if isDurable { _ = bench.keepUser() }
        #expect(bench.rename("Eve", 2, key: key) == ["2: ! key_reused"])
        #expect(bench.refresh(3, key: key) == ["3: ! key_reused"])
        #expect(bench.more(4, key: key) == ["4: ! key_reused"])
        bench.id = 8
        #expect(bench.rename("Grace", 5, key: key) == ["5: ! key_reused"])
    }

    @Test func `Keys of two uids are two keys`() {
        var bench = Bench.loaded()
        _ = bench.rename("Grace", 1, key: Self.use(uid: 5))
        _ = bench.keepUser()
        #expect(bench.rename("Eve", 2, key: Self.use(uid: 6)).count == 1)
        #expect(bench.keepUser() == ["2: user/7 Eve at 4", "changed user/7"])
    }

    @Test func `A restart remembers what was durable`() {
        let user = User(id: 7, name: "Grace", username: "u")
        let stored = StoredState(
            epoch: blank.epoch, reservedThrough: 100,
            requests: [
                AnsweredRequest(
                    key: key.key, digest: Self.digest(of: "Grace"),
                    answer: .user(user, revision: 3), revision: 3, servedMilliseconds: 9)
            ])
        var bench = Bench(stored)
        #expect(bench.rename("Grace", 1, key: key) == ["1: user/7 Grace at 3"])
        #expect(bench.rename("Eve", 2, key: key) == ["2: ! key_reused"])
    }

    /// The digest that a rename of user 7 gets.
    private static func digest(of name: String) -> UInt64 {
        let bench = Bench.loaded()
        let effects = bench.effects(
            of: .renameUser(7, to: name, RequestToken(value: 1), key: use()))
        for case .commit(_, .remember(let requests, _, _)) in effects { return requests[0].digest }
        return 0
    }

    // MARK: Lists

    @Test func `The next page is fetched once for a key, however far the list has gone on`() {
        var bench = Bench()
        _ = bench.more(1, key: key)
        #expect(
            bench.arrive([1, 2])
                == ["keep popular += [1, 2] at 2, 1/5, with k: popular 0+2 of 2 at 2"])
        #expect(bench.more(2, key: key) == [], "joins the one on its way")
        #expect(
            bench.keepList() == [
                "1: popular 0+2 of 2 at 2", "2: popular 0+2 of 2 at 2", "changed movies/popular",
            ])
        bench.load([3])
        #expect(bench.more(3, key: key) == ["3: popular 0+2 of 2 at 2"])
        #expect(bench.movies == [1, 2, 3])
    }

    @Test func `Keys of several who joined one fetch are kept with its page`() {
        var bench = Bench()
        _ = bench.more(1)
        _ = bench.more(2, key: Self.use("a"))
        _ = bench.more(3, key: Self.use("b", uid: 6))
        #expect(
            bench.arrive([1]) == [
                "keep popular += [1] at 2, 1/5, with a: popular 0+1 of 1 at 2, b: popular 0+1 of 1 at 2"
            ])
        #expect(
            bench.keepList() == [
                "1: popular 0+1", "2: popular 0+1 of 1 at 2", "3: popular 0+1 of 1 at 2",
                "changed movies/popular",
            ])
    }

    @Test func `A key that comes when the page is with the store already is kept by itself`() {
        var bench = Bench()
        _ = bench.more(1)
        _ = bench.arrive([1])
        _ = bench.more(2, key: key)
        #expect(
            bench.keepList() == [
                "1: popular 0+1", "keep with k: popular 0+1 of 1 at 2", "changed movies/popular",
            ])
        #expect(bench.more(3, key: key) == [], "not answered before it is durable")
        #expect(
            bench.keepRequest() == ["2: popular 0+1 of 1 at 2", "3: popular 0+1 of 1 at 2"])
        #expect(bench.more(4, key: key) == ["4: popular 0+1 of 1 at 2"])
    }

    @Test func `A page that is there already is answered alike too`() {
        var bench = Bench()
        bench.load([1])
        #expect(bench.more(1, page: 1, key: key) == ["keep with k: popular 1+0 of 1 at 2"])
        #expect(bench.refuseRequest() == ["1: ! degraded"])
        _ = bench.more(2, page: 1, key: key)
        #expect(bench.keepRequest() == ["2: popular 1+0 of 1 at 2"])
        bench.load([2])
        #expect(bench.more(3, page: 1, key: key) == ["3: popular 1+0 of 1 at 2"])
    }

    @Test(arguments: [true, false])
    func `A fetch that fails was not done, whether it is waited for or not`(waits: Bool) {
        var bench = Bench()
        _ = bench.more(1, waits: waits, key: key)
        #expect(bench.missPage() == (waits ? ["1: ! timeout"] : []) + ["changed movies/popular"])
        #expect(
            bench.more(2, waits: waits, key: key).contains("fetch popular 1"),
            "sent again, it is done")
        _ = bench.arrive([1])
        #expect(
            bench.refuseList() == (waits ? ["2: ! degraded"] : []) + ["changed movies/popular"])
        #expect(bench.more(3, waits: waits, key: key).contains("fetch popular 1"))
    }

    @Test
    func `What is not waited for is answered at once, and its key kept with what comes of it`() {
        var bench = Bench()
        let start = ["1: popular 0+0 of 0 at 1", "changed movies/popular", "fetch popular 1"]
        #expect(bench.more(1, waits: false, key: key) == start)
        #expect(bench.more(2, waits: false, key: key) == ["2: popular 0+0 of 0 at 1"])
        #expect(
            bench.arrive([1])
                == ["keep popular += [1] at 2, 1/5, with k: popular 0+0 of 0 at 1"])
        #expect(bench.keepList() == ["changed movies/popular"])
        #expect(bench.more(3, waits: false, key: key) == ["3: popular 0+0 of 0 at 1"])
    }

    @Test func `A list is refreshed once for a key`() {
        var bench = Bench()
        bench.load([1])
        #expect(bench.refresh(1, key: key).first == "1: popular loading at 3")
        #expect(bench.refresh(2, key: key) == ["2: popular loading at 3"])
        #expect(
            bench.arrive([5]) == ["keep popular = [5] at 4, 1/5, with k: popular loading at 3"])
        _ = bench.keepList()
        bench.load([6])
        #expect(bench.refresh(3, key: key) == ["3: popular loading at 3"])
        #expect(bench.movies == [5, 6])
    }

    @Test(arguments: [true, false])
    func `The key of a refresh that waits for a fetch is kept with the refresh`(fails: Bool) {
        var bench = Bench()
        _ = bench.more(1)
        #expect(bench.refresh(2, key: key) == ["2: popular loading at 1"])
        if fails {
            #expect(bench.missPage().last == "fetch popular 1")
        } else {
            #expect(bench.arrive([1]) == ["keep popular += [1] at 2, 1/5"])
            #expect(bench.keepList().last == "fetch popular 1")
        }
        #expect(bench.refresh(3, key: key) == ["3: popular loading at 1"])
        #expect(
            bench.arrive([9]).first?.hasSuffix("with k: popular loading at 1") == true)
        _ = bench.keepList()
        #expect(bench.refresh(4, key: key) == ["4: popular loading at 1"])
        #expect(bench.movies == [9])
    }

    @Test func `A refresh that came when the new page is with the store is kept by itself`() {
        var bench = Bench()
        _ = bench.refresh(1)
        _ = bench.arrive([1])
        #expect(bench.refresh(2, key: key) == ["2: popular loading at 1"])
        #expect(
            bench.keepList() == ["changed movies/popular", "keep with k: popular loading at 1"])
        #expect(bench.keepRequest() == [])
        #expect(bench.refresh(3, key: key) == ["3: popular loading at 1"])
    }

    @Test func `The end of a list is an error, which is not remembered`() {
        var bench = Bench()
        bench.load([1])
        _ = bench.more(1, key: key)
        #expect(bench.missPage(.endOfList) == ["keep popular += [] at 4, 1/1 complete"])
        #expect(bench.keepList() == ["1: ! end_of_list", "changed movies/popular"])
        #expect(bench.more(2, key: key) == ["2: ! end_of_list"])
        #expect(bench.core.rememberedRequests == 0)
    }
}
