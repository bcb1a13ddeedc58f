// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UsherEventLoop

@testable import UsherUpstream

private let server = HTTPTestServer.shared

@Suite(.timeLimit(.minutes(5))) struct HTTPFetcherTests {
    /// Fetches with a fetcher that takes any answer below 400, and 429 and others as the services
    /// do.
    private func fetch(
        _ steps: String..., on test: TestLoop, token: String = HTTPTestServer.makeToken(),
        limits: HTTPLimits = HTTPLimits(), fetcher: HTTPFetcher? = nil
    ) throws -> Result<Int, UpstreamError> {
        let fetcher = fetcher ?? test.makeFetcher(limits: limits)
        let address = server.address(steps, token: token)
        let request = HTTPRequest(try BaseURL(address, purpose: "the test server"), path: "/1")
        return try test.wait { done in
            fetcher.fetch(request, read: Self.read, completion: done)
        }
    }

    private static let read: @Sendable (HTTPResponse) -> Result<Int, UpstreamError> = { response in
        let reply = TMDBReply(page: 1, place: "here", keyDescription: "no key")
        return reply.read(response).map(\.movies.count)
    }

    @Test(arguments: [
        "status=500", "status=503", "html=502", "limited=0", "limited=soon",
        "limited=Wed, 21 Oct 2015 07:28:00 GMT", "cut", "nothing", "reset", "hang",
    ])
    func `What may pass is tried again`(step: String) throws {
        try withTestLoop { test in
            let fetcher = test.makeFetcher(limits: step == "hang" ? impatient : HTTPLimits())
            let result = try fetch(step, "page", on: test, fetcher: fetcher)
            #expect(result == .success(3))
            #expect(fetcher.counters.retries == 1)
            #expect(fetcher.counters.requests[200] == 1)
            #expect(fetcher.counters.requests.values.reduce(0, +) == 2)
            #expect(fetcher.counters.bodyBytes > 900)
        }
    }

    @Test(arguments: [
        ("status=401", UpstreamError.Kind.unauthorized), ("status=404", .notFound),
        ("status=400:{\"status_code\":22}", .endOfList), ("status=418", .refused(status: 418)),
        ("html", .badReply), ("redirect", .badReply), ("empty", .badReply),
        ("short", .badReply), ("bare_bomb", .badReply), ("damaged_gzip", .badReply),
    ])
    func `What will not pass is not tried again`(step: String, kind: UpstreamError.Kind) throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let fetcher = test.makeFetcher()
            let result = try fetch(step, on: test, token: token, fetcher: fetcher)
            #expect(result.failure?.kind == kind)
            #expect(fetcher.counters.retries == 0)
            #expect(try test.requests(token: token).count == 1)
        }
    }

    @Test func `After the third retry the error stands`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let result = try fetch("status=500", on: test, token: token)
            #expect(result.failure?.kind == .server(status: 500))
            #expect(result.failure?.message == "here failed (HTTP 500)")
            #expect(try test.requests(token: token).count == 4)
        }
    }

    @Test func `Gzip that no header announced is decompressed`() throws {
        try withTestLoop { test in
            let result = try fetch("bare_gzip", on: test)
            #expect(result == .success(3))
        }
    }

    @Test(arguments: ["limited=86400", "limited=Wed, 21 Oct 2099 07:28:00 GMT"])
    func `An absurd wait is cut to the limit`(step: String) throws {
        try withTestLoop { test in
            var limits = HTTPLimits()
            limits.retryAfterMilliseconds = 10
            let second = try fetch(step, "page", on: test, limits: limits)
            #expect(second == .success(3))
            let last = try fetch(step, on: test, limits: limits)
            #expect(last.failure?.kind == .rateLimited)
            #expect(last.failure?.retryAfterMilliseconds == 10)
        }
    }

    @Test func `Closing while it waits for another try abandons the call`() throws {
        try withTestLoop { test in
            let fetcher = test.makeFetcher()
            let address = server.address("limited=5", token: HTTPTestServer.makeToken())
            let request = HTTPRequest(try BaseURL(address, purpose: "the test server"), path: "/1")
            var hasCompleted = false
            fetcher.fetch(request, read: Self.read) { _ in hasCompleted = true }
            while fetcher.counters.requests[429] == nil { test.run(forMilliseconds: 5) }
            // The answer is being read on the pool, or the wait has begun.
            test.run(forMilliseconds: 5)
            fetcher.close()
            fetcher.close()
            test.run(forMilliseconds: 20)
            #expect(!hasCompleted)
            fetcher.fetch(request, read: Self.read) { _ in hasCompleted = true }
            #expect(!hasCompleted)
        }
    }

    @Test func `A completion may close the fetcher and fetch again before`() throws {
        try withTestLoop { test in
            let fetcher = test.makeFetcher()
            let address = server.address("page", token: HTTPTestServer.makeToken())
            let request = HTTPRequest(try BaseURL(address, purpose: "the test server"), path: "/1")
            let counts = try test.wait { done in
                fetcher.fetch(request, read: Self.read) { first in
                    fetcher.fetch(request, read: Self.read) { second in
                        fetcher.close()
                        done([first, second])
                    }
                }
            }
            #expect(counts == [.success(3), .success(3)])
        }
    }
}
