// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import TestSupport
import Testing
import UsherEventLoop
import UsherWire

@testable import UsherUpstream

private let server = HTTPTestServer.shared

/// Whether the pool may go on with what it reads.
private let isReadingAllowed = Mutex(false)

/// A fetcher and one address for it.
private struct Service {
    let test: TestLoop
    let token = HTTPTestServer.makeToken()
    let fetcher: HTTPFetcher
    private let base: BaseURL

    init(_ steps: String..., on test: TestLoop, limits: HTTPLimits = HTTPLimits()) throws {
        self.test = test
        fetcher = test.makeFetcher(limits: limits)
        base = try BaseURL(server.address(steps, token: token), purpose: "the test server")
    }

    func start(page: Int = 1, _ done: @escaping (Result<[Int64], UpstreamError>) -> Void) {
        let reply = TMDBReply(page: page, place: base.place, keyDescription: "no key")
        fetcher.fetch(
            HTTPRequest(base, path: "/x", query: "page=\(page)"),
            read: { reply.read($0).map { $0.movies.map(\.id) } }, completion: done)
    }

    func fetch(page: Int = 1) throws -> Result<[Int64], UpstreamError> {
        try test.wait { start(page: page, $0) }
    }

    /// Starts so many at once, and gives what came of each.
    func fetchAtOnce(_ count: Int) throws -> [Result<[Int64], UpstreamError>] {
        try test.wait { done in
            var results: [Result<[Int64], UpstreamError>] = []
            for _ in 0..<count {
                start {
                    results.append($0)
                    if results.count == count { done(results) }
                }
            }
        }
    }

    func requests() throws -> Int { try server.requests(token: token).count }
}

@Suite(.timeLimit(.minutes(5))) struct `A fetcher's deadline` {
    private var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.tryMilliseconds = 100
        limits.deadlineMilliseconds = 350
        return limits
    }

    @Test(arguments: ["hang", "hang_in_body", "drip"])
    func `bounds a request, however many tries it has`(step: String) throws {
        try withTestLoop { test in
            var limits = limits
            limits.retry.retries = 1_000
            limits.circuit.failures = 1_000
            let service = try Service(step, on: test, limits: limits)
            let start = test.loop.now
            let error = try #require(try service.fetch().failure)
            #expect(error.kind == .timeout)
            #expect(test.loop.now - start >= 350)
            // Three whole tries and a part of the fourth; with a deadline each it would never end.
            #expect((2...4).contains(service.fetcher.counters.requests[0] ?? 0))
            #expect(service.fetcher.counters.expired <= 1)
        }
    }

    @Test func `counts the wait for the first answer too`() throws {
        try withTestLoop { test in
            var limits = limits
            limits.tryMilliseconds = 20_000
            let service = try Service("hang", on: test, limits: limits)
            let error = try #require(try service.fetch().failure)
            #expect(error.kind == .timeout)
            #expect(error.message.contains("350 ms"))
        }
    }

    @Test(arguments: ["limited=3600", "unavailable=3600"])
    func `ends a request at once whose next try would come after it`(step: String) throws {
        try withTestLoop { test in
            let service = try Service(step, "page", on: test)
            let error = try #require(try service.fetch().failure)
            #expect(error.retryAfterMilliseconds == 60_000)
            #expect(service.fetcher.counters.retries == 0)
        }
    }

    @Test func `that passes while the answer is read ends the request all the same`() throws {
        try withTestLoop { test in
            let service = try Service("page", on: test, limits: limits)
            // The loop closes only when the pool is done.
            defer { isReadingAllowed.withLock { $0 = true } }
            let base = try BaseURL(server.address("page", token: service.token), purpose: "it")
            let result: Result<Int, UpstreamError> = try test.wait { done in
                service.fetcher.fetch(
                    HTTPRequest(base, path: "/x"),
                    read: { _ in
                        while !isReadingAllowed.withLock({ $0 }) { usleep(1_000) }
                        return .success(1)
                    }, completion: done)
            }
            isReadingAllowed.withLock { $0 = true }
            #expect(result.failure?.kind == .timeout)
            #expect(service.fetcher.counters.expired == 1)
            // What the pool brings now finds nobody.
            test.run(forMilliseconds: 20)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A fetcher's circuit` {
    private var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.retry.retries = 0
        limits.circuit.failures = 3
        limits.circuit.openMilliseconds = 300
        return limits
    }

    @Test(arguments: ["status=500", "limited=0", "reset", "nothing", "html=502"])
    func `opens after failures in a row; then nobody asks, and everybody is told when to`(
        step: String
    ) throws {
        try withTestLoop { test in
            let service = try Service(step, on: test, limits: limits)
            var log: [String] = []
            service.fetcher.onCircuitChange = { log.append($0) }
            let last = try (0..<3).map { _ in try service.fetch() }.last?.failure
            for _ in 0..<20 {
                let error = try #require(try service.fetch().failure)
                #expect(error.kind == .resting && error.isRetryable)
                #expect((1...300).contains(error.retryAfterMilliseconds ?? 0))
                // It says why, too.
                #expect(error.message.contains(last?.message ?? "?"))
            }
            #expect(try service.requests() == 3)
            let circuit = service.fetcher.counters.circuit
            #expect(circuit.state == .open && circuit.opened == 1 && circuit.refused == 20)
            #expect(log.count == 1)
            #expect(log[0].contains("failed 3 times in a row and is left alone for 300 ms"))
        }
    }

    @Test func `sends one probe when its time is over, and closes when that is answered`() throws {
        try withTestLoop { test in
            let service = try Service(
                "status=500", "status=500", "status=500", "gated=page", "page", on: test,
                limits: limits)
            var log: [String] = []
            service.fetcher.onCircuitChange = { log.append($0) }
            for _ in 0..<3 { _ = try service.fetch() }
            while service.fetcher.circuit.refusal(at: test.loop.now) != nil {
                test.run(forMilliseconds: 20)
            }
            let results: [Result<[Int64], UpstreamError>] = try test.wait { done in
                var refused: [Result<[Int64], UpstreamError>] = []
                service.start { done(refused + [$0]) }
                for _ in 0..<10 { service.start { refused.append($0) } }
                #expect(service.fetcher.counters.circuit.state == .halfOpen)
                try? server.openGate(token: service.token)
            }
            #expect(results.dropLast().allSatisfy { $0.failure?.kind == .resting })
            #expect(results.count == 11 && results.last == .success([1, 2, 3]))
            #expect(service.fetcher.counters.circuit.state == .closed)
            #expect(try service.fetch() == .success([1, 2, 3]))
            #expect(try service.requests() == 5)
            #expect(log.count == 3)
            #expect(log.last?.hasSuffix("answers again") == true)
        }
    }

    @Test(arguments: ["status=500", "hang"])
    func `whose probe fails opens again, and the one who probed is not made to wait`(
        step: String
    ) throws {
        try withTestLoop { test in
            var limits = limits
            limits.retry.retries = 3
            limits.tryMilliseconds = 200
            let service = try Service(step, on: test, limits: limits)
            // The third try opens the circuit: the fourth is not made.
            #expect(try service.fetch().failure?.retryAfterMilliseconds != nil)
            #expect(try service.requests() == 3)
            while service.fetcher.circuit.refusal(at: test.loop.now) != nil {
                test.run(forMilliseconds: 20)
            }
            #expect(try service.fetch().failure?.retryAfterMilliseconds != nil)
            #expect(try service.requests() == 4)
            let circuit = service.fetcher.counters.circuit
            #expect(circuit.state == .open && circuit.opened == 2 && circuit.probes == 1)
        }
    }

    @Test(arguments: ["status=404", "status=401", "html", "redirect", "empty"])
    func `stays closed while the service answers, of however little use`(step: String) throws {
        try withTestLoop { test in
            let service = try Service(step, on: test, limits: limits)
            for page in 1...10 { _ = try service.fetch(page: page) }
            #expect(try service.requests() == 10)
            #expect(service.fetcher.counters.circuit == .init())
        }
    }

    @Test func `opens for a certificate that is not trusted, and says that it is why`() throws {
        try withTestLoop { test in
            let fetcher = test.makeFetcher(limits: limits)
            let base = try BaseURL("https://localhost:\(server.securePort)", purpose: "it")
            let kinds = try (0..<5).map { _ in
                try test.wait { (done: @escaping (Result<Int, UpstreamError>) -> Void) in
                    fetcher.fetch(
                        HTTPRequest(base, path: "/x"), read: { _ in .success(1) }, completion: done)
                }.failure
            }
            #expect(
                kinds.map(\.?.kind) == [.untrusted, .untrusted, .untrusted, .resting, .resting])
            #expect(kinds.last??.message.contains("is not trusted") == true)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A fetcher's turns` {
    @Test func `come at the rate; who would come too late is told at once`() throws {
        try withTestLoop { test in
            var limits = HTTPLimits()
            limits.rate = 50
            limits.burst = 2
            limits.deadlineMilliseconds = 210
            limits.tryMilliseconds = 20_000
            let service = try Service("page", on: test, limits: limits)
            let results = try service.fetchAtOnce(100)
            // Two at once and then one each 20 ms until the deadline: 2 + 10.
            let counters = service.fetcher.counters
            #expect(counters.delayed == 10 && counters.crowdedOut == 88)
            #expect(try service.requests() <= 12)
            let crowdedOut = results.compactMap(\.failure).filter { $0.kind == .rateLimited }
            #expect(crowdedOut.count == 88)
            #expect(
                crowdedOut.allSatisfy { $0.isRetryable && ($0.retryAfterMilliseconds ?? 0) >= 210 })
        }
    }

    @Test func `wait for all when the service asked one to, and come one by one after`() throws {
        try withTestLoop { test in
            var limits = HTTPLimits()
            limits.retry.retries = 0
            limits.deadlineMilliseconds = 5_000
            let service = try Service("limited=1", "page", on: test, limits: limits)
            #expect(try service.fetch().failure?.kind == .rateLimited)
            let start = test.loop.now
            let results = try service.fetchAtOnce(5)
            #expect(test.loop.now - start >= 900)
            #expect(results.allSatisfy { $0 == .success([1, 2, 3]) })
            #expect(service.fetcher.counters.delayed == 5)
        }
    }

    @Test func `do not come within the deadline of a long pause: all are told when they do`() throws
    {
        try withTestLoop { test in
            let service = try Service("limited=3600", "page", on: test)
            #expect(try service.fetch().failure?.kind == .rateLimited)
            let results = try service.fetchAtOnce(5)
            for result in results {
                #expect(result.failure?.kind == .resting)
                #expect((50_000...60_000).contains(result.failure?.retryAfterMilliseconds ?? 0))
            }
            #expect(try service.requests() == 1)
        }
    }

    @Test func `of many who fail together do not come back together`() throws {
        try withTestLoop { test in
            let service = try Service("status=500", on: test)
            let results = try service.fetchAtOnce(60)
            #expect(results.allSatisfy { $0.failure != nil })
            // Without the circuit these were 60 requests with four tries each.
            #expect(try service.requests() <= 20)
        }
    }
}
