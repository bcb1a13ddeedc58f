// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherCore
import UsherWire

@testable import UsherStore

/// What every store has to do, whatever it is made of.
struct ConformanceTests {
    @Test(arguments: StoreKind.allCases)
    func `A new store is empty, and its epoch and block are its own`(kind: StoreKind) throws {
        let store = try StoreUnderTest(kind)
        let other = try StoreUnderTest(kind)
        let first = try store.open()
        #expect(first.reservedThrough == 0)
        #expect(first.users.isEmpty && first.lists.isEmpty)
        #expect(try other.open().epoch != first.epoch)
    }

    @Test(arguments: StoreKind.allCases)
    func `A restart keeps the epoch and moves on by one block`(kind: StoreKind) throws {
        let store = try StoreUnderTest(kind)
        let epoch = try store.open().epoch
        for start in 1...3 {
            let stored = try store.reopen()
            #expect(stored.epoch == epoch)
            #expect(stored.reservedThrough == UInt64(start) * StoreLimits.revisionBlock)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A reservation counts when it is beyond the block, and never shrinks`(
        kind: StoreKind
    ) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        let far = 5 * StoreLimits.revisionBlock
        #expect(await store.commit(.reserve(through: far)).error == nil)
        #expect(await store.commit(.reserve(through: 3)).error == nil)
        #expect(try store.reopen().reservedThrough == far)
        #expect(try store.reopen().reservedThrough == far + StoreLimits.revisionBlock)
    }

    @Test(arguments: StoreKind.allCases)
    func `A user comes back with every state, byte for byte`(kind: StoreKind) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        let strange = "a\0b\u{7F}\u{2028}e\u{301}\u{1F984}'\"\\"
        let user = User(id: .max, name: strange, username: "", phone: nil)
        let record = UserRecord(user: user, rename: strange)
        let history = [
            Transition(revision: 1, state: .initial),
            Transition(revision: 2, state: .loading),
            Transition(revision: 3, state: .error(strange)),
            Transition(revision: 5, state: .loaded(user)),
            Transition(revision: 8, state: .error("")),
            Transition(
                revision: 9, state: .loaded(User(id: -1, name: "", username: "x", phone: ""))),
        ]
        await store.commit(.user(record, transitions: history))
        let back = try #require(try store.reopen().users.first)
        #expect(back == StoredState.StoredUser(record: record, transitions: history))
        #expect(Array(back.record.user.name.utf8) == Array(strange.utf8))
    }

    @Test(arguments: StoreKind.allCases)
    func `A user's later record replaces the earlier one and keeps its history`(
        kind: StoreKind
    ) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        await store.commit(Sample.user(9, revision: 1))
        await store.commit(Sample.user(7, revision: 2))
        let renamed = UserRecord(user: User(id: 9, name: "A", username: "a"), rename: "Ada L")
        await store.commit(.user(renamed, transitions: []))
        let users = try store.reopen().users
        #expect(users.map(\.record.user.id) == [7, 9])
        #expect(users.last?.record == renamed)
        #expect(users.last?.transitions.map(\.revision) == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `Only the last steps of a history are kept`(kind: StoreKind) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        let record = UserRecord(user: User(id: 1, name: "", username: ""))
        let steps = (1...300).map { Transition(revision: $0, state: .loading) }
        await store.commit(.user(record, transitions: steps))
        await store.commit(Sample.user(2, revision: 301))
        await store.commit(
            .user(record, transitions: [Transition(revision: 302, state: .initial)]))
        let users = try store.reopen().users
        let kept = UInt64(300 - Limits.historyTransitions + 2)...300
        #expect(users.first?.transitions.map(\.revision) == Array(kept) + [302])
        #expect(users.last?.transitions.map(\.revision) == [301])
    }

    @Test(arguments: StoreKind.allCases)
    func `Appends make one generation, with a mark for each that brought movies`(
        kind: StoreKind
    ) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        let end = MovieListProgress(revision: 9, page: 3, pages: 3, isComplete: true)
        let odd = EncodedMovie(id: -5, json: [0, 255, 10, 0])
        await store.commit(
            .append(.popular, Sample.progress(4), movies: Sample.movies(1..<4)))
        await store.commit(.append("zzz", Sample.progress(5), movies: []))
        await store.commit(
            .append(.popular, Sample.progress(7), movies: [odd, EncodedMovie(id: 0, json: [])]))
        await store.commit(.append(.popular, end, movies: []))
        let lists = try store.reopen().lists
        try #require(lists.map(\.name) == [.popular, "zzz"])
        #expect(
            lists[0]
                == StoredState.StoredList(
                    name: .popular, generation: 0, progress: end,
                    movies: Sample.movies(1..<4) + [odd, EncodedMovie(id: 0, json: [])],
                    marks: [.init(revision: 4, count: 3), .init(revision: 7, count: 5)]))
        #expect(lists[1].generation == 0 && lists[1].movies.isEmpty && lists[1].marks.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `A reset replaces the movies, and appends go on from there`(
        kind: StoreKind
    ) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        await store.commit(
            .append(.popular, Sample.progress(1), movies: Sample.movies(1..<9)))
        await store.commit(
            .append(.topRated, Sample.progress(2), movies: Sample.movies(1..<3)))
        await store.commit(
            .reset(.popular, Sample.progress(3), movies: Sample.movies(20..<22)))
        await store.commit(Sample.append(30))
        let lists = try store.reopen().lists
        try #require(lists.map(\.name) == [.popular, .topRated])
        #expect(lists[0].generation == 3)
        #expect(lists[0].progress == Sample.progress(30))
        #expect(lists[0].movies.map(\.id) == [20, 21, 30])
        #expect(lists[0].marks == [.init(revision: 3, count: 2), .init(revision: 30, count: 3)])
        #expect(lists[1].movies.map(\.id) == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func `A request comes back with its answer, whatever that was`(kind: StoreKind) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        let user = User(id: 9, name: "a\0'\"e\u{301}", username: "", phone: nil)
        let failed = MovieListStatus(
            phase: .error, message: "no", page: 3, pages: 4, total: 5, complete: true)
        let requests = [
            Sample.request(3, answer: .user(user, revision: 2)),
            Sample.request(
                4, answer: .movies(.popular, failed, revision: 4, offset: 20, count: 0)),
            Sample.request(
                4, key: "~", digest: .max, answer: .moviesStatus("zzz", .empty, revision: 0)),
            Sample.request(
                5, uid: .max,
                answer: .user(User(id: 0, name: "", username: "", phone: ""), revision: 5)
            ),
        ]
        await store.commit(.remember([requests[3]], forgetting: [], with: nil))
        await store.commit(
            .remember(Array(requests[..<3]), forgetting: [], with: Sample.user(revision: 3)))
        let stored = try store.reopen()
        #expect(stored.requests == requests)
        #expect(stored.users.first?.transitions.map(\.revision) == [3])
    }

    @Test(arguments: StoreKind.allCases)
    func `A change that is refused takes its requests with it`(kind: StoreKind) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        await store.commit(
            .remember([Sample.request(1)], forgetting: [], with: Sample.user(revision: 1)))
        let again = await store.commit(
            .remember(
                [Sample.request(2)], forgetting: [ForgottenRequests(uid: 5, through: 1)],
                with: Sample.user(revision: 1)))
        #expect(again.error?.kind == .rejected)
        #expect(try store.reopen().requests == [Sample.request(1)])
    }

    @Test(arguments: StoreKind.allCases)
    func `Requests are forgotten up to a revision, of one uid`(kind: StoreKind) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        let all = [Sample.request(1), Sample.request(2), Sample.request(3)]
        let other = Sample.request(1, uid: 6)
        await store.commit(.remember(all + [other], forgetting: [], with: nil))
        let last = Sample.request(4)
        await store.commit(
            .remember([last], forgetting: [ForgottenRequests(uid: 5, through: 2)], with: nil))
        #expect(try store.reopen().requests == [all[2], last, other])
    }

    @Test(arguments: StoreKind.allCases)
    func `Completions come in the order of the calls`(kind: StoreKind) throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        let heard = Monitor<[UInt64]>([])
        for revision in UInt64(1)...500 {
            store.log.commit(Sample.append(revision), generation: 0) { _ in
                heard.update { $0.append(revision) }
            }
        }
        store.log.close()
        #expect(heard.snapshot == Array(1...500))
        #expect(store.log.status.commits == 500)
        #expect(try store.open().lists.first?.movies.count == 500)
    }

    @Test(arguments: StoreKind.allCases)
    func `A repeated revision is refused, and changes nothing`(kind: StoreKind) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        await store.commit(Sample.user(revision: 5))
        let again = await store.commit(Sample.user(revision: 5, name: "Eve"))
        #expect(again.error?.kind == .rejected)
        #expect(!store.log.status.isDegraded)
        #expect(await store.commit(Sample.user(revision: 6)).error == nil)
        let user = try #require(try store.reopen().users.first)
        #expect(user.record.user.name == "Ada")
        #expect(user.transitions.map(\.revision) == [5, 6])
    }

    @Test(arguments: StoreKind.allCases)
    func `What was computed before a failure was heard of is refused with it`(
        kind: StoreKind
    ) async throws {
        let store = try StoreUnderTest(kind)
        _ = try store.open()
        await store.commit(Sample.user(revision: 1), generation: 0)
        let bad = await store.commit(Sample.user(revision: 1), generation: 0)
        let stale = await store.commit(Sample.append(2), generation: 0)
        let staleAgain = await store.commit(Sample.append(3), generation: 1)
        #expect(await store.commit(Sample.append(4), generation: 3).error == nil)
        #expect(bad.error?.kind == .rejected)
        #expect(stale.error == bad.error && staleAgain.error == bad.error)
        #expect(store.log.status.failures == 3)
        #expect(store.log.status.lastError == bad.error)
        #expect(try store.reopen().lists.first?.movies.map(\.id) == [4])
    }

    @Test(arguments: StoreKind.allCases)
    func `A closed store refuses at once, and may be closed twice`(kind: StoreKind) async throws {
        let store = try StoreUnderTest(kind)
        #expect(await store.commit(Sample.append(1)).error?.kind == .closed)
        _ = try store.open()
        store.log.close()
        store.log.close()
        #expect(await store.commit(Sample.append(1)).error?.kind == .closed)
    }
}
