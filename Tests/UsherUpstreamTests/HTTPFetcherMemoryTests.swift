// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UsherEventLoop
import UsherWire

@testable import UsherUpstream

private let server = HTTPTestServer.shared

/// What a service does not have is not asked for again at once; what it has is not sent again.
@Suite(.timeLimit(.minutes(5))) struct `A fetcher remembers` {
    private func films(
        _ fetcher: HTTPFetcher, _ base: BaseURL, page: Int = 1, on test: TestLoop
    ) throws -> Result<[Int64], UpstreamError> {
        try test.wait { start(fetcher, base, page: page, $0) }
    }

    private func start(
        _ fetcher: HTTPFetcher, _ base: BaseURL, page: Int = 1,
        _ done: @escaping (Result<[Int64], UpstreamError>) -> Void
    ) {
        let reply = TMDBReply(page: page, place: base.place, keyDescription: "no key")
        fetcher.fetch(
            HTTPRequest(base, path: "/x", query: "page=\(page)"),
            read: { reply.read($0).map { $0.movies.map(\.id) } }, completion: done)
    }

    private func base(_ steps: String..., token: String) throws -> BaseURL {
        try BaseURL(server.address(steps, token: token), purpose: "the test server")
    }

    @Test func `a user whom the service does not have, for a time`() throws {
        try withTestLoop { test in
            var limits = HTTPLimits()
            limits.missingMilliseconds = 300
            let token = HTTPTestServer.makeToken()
            let users = HTTPUsers(
                fetcher: test.makeFetcher(limits: limits), base: try base("user", token: token),
                ownUser: 1)
            func fetch(_ id: Int64) throws -> Result<User, UpstreamError> {
                try test.wait { users.fetch(id, completion: $0) }
            }
            let first = try fetch(99)
            for _ in 0..<20 { #expect(try fetch(99) == first) }
            #expect(first.failure?.kind == .notFound)
            #expect(try server.requests(token: token).count == 1)
            #expect(users.counters.remembered == 20)
            // Others are not kept from anything.
            #expect(try fetch(1).get().name == "Ann Example")
            test.run(forMilliseconds: 350)
            #expect(try fetch(99) == first)
            #expect(try server.requests(token: token).count == 3)
            users.close()
        }
    }

    @Test func `a page past the end, until the list's first page came anew`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let movies = TMDBMovies(
                fetcher: test.makeFetcher(), base: try base("page", token: token),
                key: try TMDBKey(String(repeating: "0", count: 32), source: "a test"))
            func fetch(_ list: MovieListName, _ page: Int) throws -> UpstreamError.Kind? {
                try test.wait { movies.fetch(list, page: page, completion: $0) }.failure?.kind
            }
            for _ in 0..<5 { #expect(try fetch(.popular, 4) == .endOfList) }
            #expect(try fetch(.topRated, 4) == .endOfList)
            #expect(try server.requests(token: token).count == 2)
            #expect(try fetch(.popular, 1) == nil)
            #expect(try fetch(.popular, 4) == .endOfList)
            #expect(try fetch(.topRated, 4) == .endOfList)
            #expect(try server.requests(token: token).count == 4)
            movies.close()
        }
    }

    @Test(arguments: [
        ("tagged=1000", "If-None-Match: \"1000\""),
        (
            "dated=Wed, 21 Oct 2015 07:28:00 GMT",
            "If-Modified-Since: Wed, 21 Oct 2015 07:28:00 GMT"
        ),
    ])
    func `an answer and its mark, and uses it again when nothing changed`(
        step: String, header: String
    ) throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let (fetcher, base) = (test.makeFetcher(), try base(step, token: token))
            let first = try films(fetcher, base, on: test)
            let second = try films(fetcher, base, on: test)
            #expect(try first.get().count == 3 && second == first)
            let heads = try server.requests(token: token)
            #expect(!heads[0].contains("\r\nIf-"))
            #expect(heads[1].contains("\r\n\(header)\r\n"))
            #expect(fetcher.counters.requests == [200: 1, 304: 1])
            #expect(fetcher.counters.unchanged == 1)
        }
    }

    @Test func `the newer answer when the service has changed`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let fetcher = test.makeFetcher()
            let base = try base("tagged=1000", "tagged=2000", token: token)
            let pages = try (0..<3).map { _ in try films(fetcher, base, on: test).get()[0] }
            #expect(pages == [1_001, 2_001, 2_001])
            #expect(fetcher.counters.requests == [200: 2, 304: 1])
        }
    }

    @Test func `no older answer that comes after a newer one`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let fetcher = test.makeFetcher()
            let base = try base("gated=tagged=1000", "tagged=2000", token: token)
            var arrived: [Int64] = []
            var done: ([Int64]) -> Void = { _ in }
            start(fetcher, base) { first in
                arrived.append((try? first.get()[0]) ?? 0)
                done(arrived)
            }
            // The server tells them apart by their order, so the first has to be there before the second.
            let isThere = try eventually {
                test.run(forMilliseconds: 1)
                return try server.requests(token: token).count == 1
            }
            try #require(isThere)
            let pages: [Int64] = try test.wait {
                done = $0
                start(fetcher, base) { second in
                    arrived.append((try? second.get()[0]) ?? 0)
                    try? server.openGate(token: token)
                }
            }
            #expect(pages == [2_001, 1_001])
            #expect(try films(fetcher, base, on: test).get()[0] == 2_001)
            let last = try #require(try server.requests(token: token).last)
            #expect(last.contains("If-None-Match: \"2000\""))
        }
    }

    @Test(arguments: ["unstored", "odd_tag", "page_without_mark", "html", "bare_bomb"])
    func `nothing that it may not keep, cannot ask about, or that is of no use`(
        step: String
    ) throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let fetcher = test.makeFetcher()
            let base = try base(step == "page_without_mark" ? "later=5" : step, token: token)
            for _ in 0..<2 { _ = try films(fetcher, base, on: test) }
            #expect(fetcher.answers.count == 0)
            #expect(try server.requests(token: token).allSatisfy { !$0.contains("\r\nIf-") })
        }
    }

    @Test func `gzip that no header announced as what it became`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let fetcher = test.makeFetcher()
            let base = try base("tagged_gzip", "tagged_gzip", token: token)
            let pages = try (0..<2).map { _ in try films(fetcher, base, on: test).get() }
            #expect(pages == [[1, 2, 3], [1, 2, 3]])
            #expect(fetcher.counters.unchanged == 1)
        }
    }

    @Test func `that it asked about nothing, when the service says that nothing changed`() throws {
        try withTestLoop { test in
            let fetcher = test.makeFetcher()
            let base = try base("unchanged", token: HTTPTestServer.makeToken())
            let error = try #require(try films(fetcher, base, on: test).failure)
            #expect(error.kind == .badReply)
            #expect(error.message.contains("nothing changed (HTTP 304), unasked"))
        }
    }
}
