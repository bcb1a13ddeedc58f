// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UsherWire

@testable import UsherUpstream

private let server = HTTPTestServer.shared
private let v3 = "0123456789abcdef0123456789abcdef"
private let v4 = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2hlciJ9.c2lnbmF0dXJl"

/// The service against a real server.
@Suite(.timeLimit(.minutes(5))) struct TMDBMoviesTests {
    private func makeService(
        _ steps: String..., on test: TestLoop, token: String = HTTPTestServer.makeToken(),
        key: String = v3, limits: HTTPLimits = HTTPLimits()
    ) throws -> TMDBMovies {
        let base = try BaseURL(server.address(steps, token: token), purpose: "TMDB")
        return TMDBMovies(
            fetcher: test.makeFetcher(limits: limits), base: base,
            key: try TMDBKey(key, source: "TMDB_API_KEY"))
    }

    private func fetch(
        _ service: TMDBMovies, _ list: MovieListName = .popular, page: Int, on test: TestLoop
    ) throws -> Result<FetchedPage, UpstreamError> {
        try test.wait { done in service.fetch(list, page: page, completion: done) }
    }

    @Test func `Pages come one after the other, shared ids included, until the end`() throws {
        try withTestLoop { test in
            let service = try makeService("page", on: test)
            let pages = try (1...4).map { try fetch(service, page: $0, on: test) }
            #expect(try pages[0].get().movies.map(\.id) == [1, 2, 3])
            #expect(try pages[1].get().movies.map(\.id) == [3, 4, 5])
            #expect(try pages[2].get().movies.map(\.id) == [6, 7, 8])
            #expect(try pages[2].get().pages == 3)
            #expect(pages[3].failure?.kind == .endOfList)
            #expect(service.counters.requests == [200: 4])
        }
    }

    @Test(arguments: [MovieListName.popular, .nowPlaying, .topRated, .upcoming])
    func `A v3 key goes into the query of each list`(list: MovieListName) throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let service = try makeService("page", on: test, token: token)
            #expect(try fetch(service, list, page: 2, on: test).get().page == 2)
            let head = try #require(try test.requests(token: token).first)
            #expect(head.contains("/3/movie/\(list.rawValue)?page=2&api_key=\(v3) HTTP/1.1\r\n"))
            #expect(!head.contains("Authorization"))
        }
    }

    @Test func `A v4 token goes into a header`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let service = try makeService("page", on: test, token: token, key: v4)
            #expect(try fetch(service, page: 1, on: test).get().page == 1)
            let head = try #require(try test.requests(token: token).first)
            #expect(head.contains("\r\nAuthorization: Bearer \(v4)\r\n"))
            #expect(head.contains("/3/movie/popular?page=1 HTTP/1.1\r\n"))
        }
    }

    @Test(arguments: [0, -1, 501, Int.max]) func `Pages out of range are not asked for`(
        page: Int
    ) throws {
        try withTestLoop { test in
            let service = try makeService("page", on: test)
            #expect(try fetch(service, page: page, on: test).failure?.kind == .endOfList)
            #expect(service.counters.requests.isEmpty)
        }
    }

    @Test func `An unknown list is refused with the ones there are`() throws {
        try withTestLoop { test in
            let service = try makeService("page", on: test)
            let error = try #require(try fetch(service, "../../x", page: 1, on: test).failure)
            #expect(error.kind == .notFound)
            #expect(
                error.message == "there is no such movie list; there are: "
                    + "popular, now_playing, top_rated, upcoming")
        }
    }

    @Test(arguments: [v3, v4]) func `The key is in no error`(key: String) throws {
        try withTestLoop { test in
            let bad = [
                "status=401:{\"status_code\":7}", "status=404", "status=500", "limited=0",
                "html", "redirect", "cut", "hang", "noise", "nothing", "bomb", "short", "empty",
            ]
            for step in bad {
                var limits = HTTPLimits()
                if step == "hang" { limits.tryMilliseconds = 50 }
                let service = try makeService(step, on: test, key: key, limits: limits)
                let error = try #require(try fetch(service, page: 1, on: test).failure)
                let shown = "\(error) \(String(reflecting: error)) \(error.message)"
                #expect(!shown.contains(key.prefix(12)))
                #expect(!shown.contains("api_key"))
                service.close()
            }
        }
    }

    @Test func `Dropped rows are counted`() throws {
        try withTestLoop { test in
            let body = #"{"page":1,"results":[{"id":1,"title":"a"},{},{}],"total_pages":1}"#
            let service = try makeService("json=\(body)", on: test)
            #expect(try fetch(service, page: 1, on: test).get().droppedRows == 2)
            #expect(service.counters.droppedRows == 2)
        }
    }

    @Test func `Closing abandons a page in flight`() throws {
        try withTestLoop { test in
            let service = try makeService("hang", on: test)
            var hasCompleted = false
            service.fetch(.popular, page: 1) { _ in hasCompleted = true }
            test.run(forMilliseconds: 10)
            service.close()
            service.close()
            test.run(forMilliseconds: 10)
            #expect(!hasCompleted)
        }
    }
}
