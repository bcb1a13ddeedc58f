// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherCore
import UsherWire

struct MovieListMachineTests {
    @Test func `Pages are fetched, kept, then shown and answered`() {
        var bench = Bench()
        #expect(bench.status == .empty)
        #expect(bench.more(1) == ["changed movies/popular", "fetch popular 1"])
        #expect(bench.status.phase == .loading)
        #expect(bench.arrive([1, 2, 3]) == ["keep popular += [1, 2, 3] at 2, 1/5"])
        #expect(bench.movies == [], "nothing is shown before it is kept")
        #expect(bench.keepList() == ["1: popular 0+3", "changed movies/popular"])
        #expect(bench.movies == [1, 2, 3])
        #expect(
            bench.status
                == MovieListStatus(
                    phase: .idle, message: nil, page: 1, pages: 5, total: 3, complete: false))
        #expect(bench.more(2) == ["changed movies/popular", "fetch popular 2"])
        #expect(bench.arrive([4]) == ["keep popular += [4] at 4, 2/5"])
        #expect(bench.keepList() == ["2: popular 3+1", "changed movies/popular"])
        #expect(bench.core.list(.popular)?.revision == 4)
    }

    @Test func `A movie keeps its first place, within a page and over pages`() {
        var bench = Bench()
        _ = bench.more(1)
        #expect(bench.arrive([1, 2, 1, 3, 2]) == ["keep popular += [1, 2, 3] at 2, 1/5"])
        _ = bench.keepList()
        _ = bench.more(2)
        #expect(bench.arrive([3, 4, 1]) == ["keep popular += [4] at 4, 2/5"])
        #expect(bench.keepList() == ["2: popular 3+1", "changed movies/popular"])
        #expect(bench.movies == [1, 2, 3, 4])
    }

    @Test func `A page of nothing but known movies counts as a page`() {
        var bench = Bench()
        bench.load([1, 2])
        _ = bench.more(1)
        #expect(bench.arrive([2, 1]) == ["keep popular += [] at 4, 2/5"])
        #expect(bench.keepList() == ["1: popular 2+0", "changed movies/popular"])
        #expect(bench.status.page == 2 && !bench.status.complete)
    }

    @Test func `The last page makes the list complete, and there is no further one`() {
        var bench = Bench()
        bench.load([1], of: 2)
        _ = bench.more(1)
        #expect(bench.arrive([2], of: 2) == ["keep popular += [2] at 4, 2/2 complete"])
        _ = bench.keepList()
        #expect(bench.status.complete)
        #expect(bench.more(2) == ["2: ! end_of_list"])
        #expect(bench.more(3, page: 3) == ["3: ! end_of_list"])
        #expect(bench.more(4, page: 2) == ["4: popular 2+0"])
    }

    @Test func `An empty page makes the list complete`() {
        var bench = Bench()
        bench.load([1])
        _ = bench.more(1)
        #expect(bench.arrive([]) == ["keep popular += [] at 4, 2/5 complete"])
        #expect(bench.keepList() == ["1: popular 1+0", "changed movies/popular"])
        #expect(bench.status.complete)
    }

    @Test func `No page after the 500th is asked for`() {
        var stored = blank
        stored.lists = [
            .init(
                name: .popular, generation: 0,
                progress: .init(revision: 1, page: 499, pages: 500, isComplete: false),
                movies: [movie(1)], marks: [.init(revision: 1, count: 1)])
        ]
        var bench = Bench(stored)
        #expect(bench.more(1) == ["changed movies/popular", "fetch popular 500"])
        #expect(bench.arrive([2], of: 40_000) == ["keep popular += [2] at 2, 500/500 complete"])
    }

    @Test func `A service that has no such page marks the list complete`() {
        var bench = Bench()
        bench.load([1, 2])
        _ = bench.more(1)
        #expect(bench.missPage(.endOfList) == ["keep popular += [] at 4, 1/1 complete"])
        #expect(bench.keepList() == ["1: ! end_of_list", "changed movies/popular"])
        #expect(bench.status.complete && bench.status.phase == .idle)
        #expect(bench.movies == [1, 2])
        #expect(bench.more(2) == ["2: ! end_of_list"])
    }

    @Test func `A page already there is not fetched again`() {
        var bench = Bench()
        bench.load([1, 2])
        bench.load([3])
        for page in [1, 2] {
            #expect(bench.more(1, page: page) == ["1: popular 3+0"])
            #expect(bench.more(2, page: page, waits: false) == ["2: popular 3+0"])
        }
    }

    @Test func `A page out of order is refused`() {
        var bench = Bench()
        #expect(bench.more(1, page: 2) == ["1: ! out_of_range"])
        bench.load([1])
        #expect(bench.more(2, page: 3) == ["2: ! out_of_range"])
        #expect(bench.more(3, page: 2) == ["changed movies/popular", "fetch popular 2"])
    }

    @Test func `A fetch in flight is joined by all who want that page`() {
        var bench = Bench()
        bench.load([1])
        _ = bench.more(1)
        #expect(bench.more(2) == [])
        #expect(bench.more(3, page: 2) == [])
        #expect(bench.more(4, waits: false) == ["4: popular 1+0"])
        _ = bench.arrive([2])
        #expect(bench.more(5) == [], "also while it is on its way to the store")
        #expect(
            bench.keepList() == [
                "1: popular 1+1", "2: popular 1+1", "3: popular 1+1", "5: popular 1+1",
                "changed movies/popular",
            ])
    }

    @Test func `Who does not wait is answered at once, before the push`() {
        var bench = Bench()
        #expect(
            bench.more(1, waits: false)
                == ["1: popular 0+0", "changed movies/popular", "fetch popular 1"])
        _ = bench.arrive([1])
        #expect(bench.keepList() == ["changed movies/popular"])
    }

    @Test func `A failed fetch keeps the movies, and may be tried again`() {
        var bench = Bench()
        bench.load([1, 2])
        _ = bench.more(1)
        _ = bench.more(2)
        #expect(
            bench.missPage() == ["1: ! timeout", "2: ! timeout", "changed movies/popular"])
        #expect(bench.movies == [1, 2])
        #expect(
            bench.status
                == MovieListStatus(
                    phase: .error, message: "timeout", page: 1, pages: 5, total: 2,
                    complete: false))
        #expect(bench.more(3) == ["changed movies/popular", "fetch popular 2"])
        #expect(bench.status.phase == .loading && bench.status.message == nil)
    }

    @Test func `A page that is not stored is not shown, and may be tried again`() {
        var bench = Bench()
        bench.load([1])
        _ = bench.more(1)
        _ = bench.arrive([2])
        #expect(bench.refuseList() == ["1: ! degraded", "changed movies/popular"])
        #expect(bench.movies == [1])
        #expect(bench.status.phase == .error && bench.status.message == "disk full")
        _ = bench.more(2)
        #expect(bench.arrive([2]) == ["keep popular += [2] at 7, 2/5"])
        #expect(bench.keepList() == ["2: popular 1+1", "changed movies/popular"])
    }

    // MARK: Refreshes

    @Test func `A refresh keeps the old movies until the new ones are stored`() {
        var bench = Bench()
        bench.load([1, 2])
        bench.load([3])
        #expect(
            bench.refresh(1)
                == ["1: popular status", "changed movies/popular", "fetch popular 1"])
        #expect(bench.movies == [1, 2, 3])
        #expect(bench.arrive([3, 9], of: 4) == ["keep popular = [3, 9] at 6, 1/4"])
        #expect(bench.movies == [1, 2, 3])
        #expect(bench.keepList() == ["changed movies/popular"])
        #expect(bench.movies == [3, 9])
        #expect(bench.core.list(.popular)?.generation == 6)
        #expect(
            bench.status
                == MovieListStatus(
                    phase: .idle, message: nil, page: 1, pages: 4, total: 2, complete: false))
    }

    @Test func `A refresh makes a complete list grow again`() {
        var bench = Bench()
        bench.load([1], of: 1)
        #expect(bench.status.complete)
        bench.reload([1], of: 2)
        #expect(!bench.status.complete)
        #expect(bench.more(1) == ["changed movies/popular", "fetch popular 2"])
    }

    @Test func `A refresh during a fetch follows it`() {
        var bench = Bench()
        bench.load([1])
        _ = bench.more(1)
        #expect(bench.refresh(2) == ["2: popular status"])
        #expect(bench.refresh(3) == ["3: popular status"])
        _ = bench.arrive([2])
        #expect(
            bench.keepList() == [
                "1: popular 1+1", "changed movies/popular", "changed movies/popular",
                "fetch popular 1",
            ])
        #expect(bench.arrive([8]) == ["keep popular = [8] at 6, 1/5"])
        #expect(bench.keepList() == ["changed movies/popular"], "and only once")
    }

    @Test func `A refresh follows a fetch that failed, or was not stored, too`() {
        for isStore in [false, true] {
            var bench = Bench()
            _ = bench.more(1)
            _ = bench.refresh(2)
            if isStore { _ = bench.arrive([1]) }
            let end = isStore ? bench.refuseList() : bench.missPage()
            #expect(
                end == [
                    isStore ? "1: ! degraded" : "1: ! timeout", "changed movies/popular",
                    "changed movies/popular", "fetch popular 1",
                ])
            #expect(bench.status.phase == .loading)
        }
    }

    @Test func `A refresh during a refresh joins it`() {
        var bench = Bench()
        bench.load([1])
        _ = bench.refresh(1)
        #expect(bench.refresh(2) == ["2: popular status"])
        _ = bench.arrive([2])
        #expect(bench.keepList() == ["changed movies/popular"])
        #expect(bench.status.phase == .idle)
    }

    @Test func `Who asks for more during a refresh gets what it brings, or is told to wait`() {
        var bench = Bench()
        bench.load([1])
        bench.load([2])
        _ = bench.refresh(1)
        #expect(bench.more(2) == [])
        #expect(bench.more(3, page: 1) == [])
        #expect(bench.more(4, page: 3) == ["4: ! busy"])
        #expect(bench.more(5, page: 2) == ["5: popular 2+0"])
        _ = bench.arrive([7, 8])
        #expect(
            bench.keepList() == ["2: popular 0+2", "3: popular 0+2", "changed movies/popular"])
    }

    @Test(arguments: [ErrorReason.timeout, .endOfList])
    func `A refresh that fails keeps the list as it was`(reason: ErrorReason) {
        var bench = Bench()
        bench.load([1, 2], of: 1)
        _ = bench.refresh(1)
        #expect(bench.missPage(reason) == ["changed movies/popular"])
        #expect(bench.movies == [1, 2])
        #expect(bench.status.phase == .error)
        #expect(bench.status.page == 1 && bench.status.complete)
        #expect(bench.core.list(.popular)?.generation == 0)
    }

    @Test func `A refresh that is not stored keeps the list as it was`() {
        var bench = Bench()
        bench.load([1, 2])
        _ = bench.refresh(1)
        _ = bench.arrive([9])
        #expect(bench.refuseList() == ["changed movies/popular"])
        #expect(bench.movies == [1, 2])
        #expect(bench.core.list(.popular)?.generation == 0)
        _ = bench.more(2)
        #expect(bench.arrive([2, 9]) == ["keep popular += [9] at 7, 2/5"])
    }

    @Test func `A refresh that brings nothing leaves an empty, complete list`() {
        var bench = Bench()
        bench.load([1])
        _ = bench.refresh(1)
        #expect(bench.arrive([]) == ["keep popular = [] at 4, 1/5 complete"])
        _ = bench.keepList()
        #expect(bench.movies == [])
        #expect(bench.status.complete && bench.status.total == 0)
    }

    // MARK: Lists

    @Test func `Lists are apart from each other, and named in order`() {
        var bench = Bench(lists: [.upcoming, .popular])
        #expect(bench.core.listNames == [.popular, .upcoming])
        _ = bench.more(1)
        bench.list = .upcoming
        #expect(bench.more(2) == ["changed movies/upcoming", "fetch upcoming 1"])
        _ = bench.arrive([1])
        #expect(bench.keepList() == ["2: upcoming 0+1", "changed movies/upcoming"])
        #expect(bench.core.list(.popular)?.movies.isEmpty == true)
        #expect(bench.core.list(.topRated) == nil)
    }

    @Test func `A stored list goes on where it was, and lists that are gone stay away`() {
        var stored = blank
        stored.reservedThrough = 50
        let progress = MovieListProgress(revision: 9, page: 2, pages: 5, isComplete: false)
        stored.lists = [MovieListName.popular, .topRated].map { name in
            .init(
                name: name, generation: 5, progress: progress, movies: [movie(1), movie(2)],
                marks: [.init(revision: 5, count: 1), .init(revision: 9, count: 2)])
        }
        var bench = Bench(stored)
        #expect(bench.core.list(.topRated) == nil)
        #expect(bench.movies == [1, 2])
        #expect(bench.core.list(.popular)?.revision == 9)
        #expect(bench.core.list(.popular)?.count(at: 5, previousRun: 50) == 1)
        #expect(bench.more(1) == ["changed movies/popular", "fetch popular 3"])
        #expect(bench.arrive([2, 3]) == ["keep popular += [3] at 52, 3/5"])
    }

    // MARK: Stretches

    @Test func `A stretch holds what fits, and always one movie`() throws {
        var bench = Bench()
        bench.load([1, 2, 3, 4])
        let list = try #require(bench.core.list(.popular))
        #expect(list.stretch(from: 0, budget: .max) == 0..<4)
        // Ten bytes each, and a comma.
        #expect(list.stretch(from: 0, budget: 44) == 0..<4)
        #expect(list.stretch(from: 0, budget: 43) == 0..<3)
        #expect(list.stretch(from: 1, budget: 22) == 1..<3)
        #expect(list.stretch(from: 1, budget: 0) == 1..<2)
        #expect(list.stretch(from: 1, budget: -5) == 1..<2)
        #expect(list.stretch(from: 0, budget: .max, limit: 2) == 0..<2)
        #expect(list.stretch(from: 4, budget: .max) == 4..<4)
        #expect(list.stretch(from: 1_000, budget: .max) == 4..<4)
    }
}
