// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing
import UsherEventLoop

@testable import UsherUpstream

private let server = HTTPTestServer.shared

/// Requests that are given up, in every order; leaks show under the address sanitizer.
@Suite(.timeLimit(.minutes(5))) struct HTTPClientClosingTests {
    private func request(_ step: String) throws -> HTTPRequest {
        let address = server.address(step, token: HTTPTestServer.makeToken())
        return HTTPRequest(try BaseURL(address, purpose: "the test server"), path: "/x")
    }

    @Test func `A cancelled request does not complete, and the others do`() throws {
        try withTestLoop { test in
            let client = test.makeClient()
            var hasCompleted = false
            let hanging = client.get(try request("hang")) { _ in hasCompleted = true }
            let page = try request("page")
            let response = try test.wait { done in
                client.get(page) { result in
                    client.cancel(hanging)
                    client.cancel(hanging)
                    done(result)
                }
            }
            #expect(try response.get().status == 200)
            test.run(forMilliseconds: 20)
            #expect(!hasCompleted)
        }
    }

    @Test func `Closing at once, before the loop ran, abandons everything`() throws {
        try withTestLoop { test in
            let client = test.makeClient()
            var hasCompleted = false
            for step in ["page", "hang"] {
                client.get(try request(step)) { _ in hasCompleted = true }
            }
            client.close()
            client.close()
            test.run(forMilliseconds: 20)
            #expect(!hasCompleted)
        }
    }

    @Test func `Closing in the middle of transfers abandons them`() throws {
        try withTestLoop { test in
            let client = test.makeClient()
            var hasCompleted = false
            for step in ["hang", "hang_in_body", "drip"] {
                client.get(try request(step)) { _ in hasCompleted = true }
            }
            let page = try request("page")
            _ = try test.wait { done in client.get(page, completion: done) }
            client.close()
            test.run(forMilliseconds: 20)
            #expect(!hasCompleted)
        }
    }

    @Test func `A completion may close the client`() throws {
        try withTestLoop { test in
            let client = test.makeClient()
            var others = 0
            for _ in 0..<5 { client.get(try request("hang")) { _ in others += 1 } }
            let page = try request("page")
            let response = try test.wait { done in
                client.get(page) { result in
                    client.close()
                    done(result)
                }
            }
            #expect(try response.get().status == 200)
            test.run(forMilliseconds: 20)
            #expect(others == 0)
        }
    }

    @Test func `A completion may send the next request`() throws {
        try withTestLoop { test in
            let client = test.makeClient()
            let (first, second) = (try request("page"), try request("zipped"))
            let bodies = try test.wait { done in
                client.get(first) { one in
                    client.get(second) { two in done([one, two]) }
                }
            }
            #expect(try bodies[0].get().body == bodies[1].get().body)
        }
    }

    @Test func `Giving up on a name look-up or a connection leaves nothing behind`() throws {
        try withTestLoop { test in
            let client = test.makeClient()
            for address in ["http://x.invalid", "http://127.0.0.1:1", "https://localhost:1"] {
                let base = try BaseURL(address, purpose: "nobody")
                client.get(HTTPRequest(base, path: "/")) { _ in }
            }
            client.close()
        }
    }

    @Test func `Idle connections, ended ones too, use no processor time`() throws {
        try withTestLoop { test in
            let client = test.makeClient()
            for step in ["page", "leave"] {
                let request = try request(step)
                let response = try test.wait { done in client.get(request, completion: done) }
                #expect(try response.get().status == 200)
            }
            client.get(try request("hang")) { _ in }
            test.run(forMilliseconds: 50)
            let before = clock()
            test.run(forMilliseconds: 400)
            // A loop that spins uses what it gets of the 400 ms, one that sleeps hardly any.
            #expect(clock() - before < 20_000)
        }
    }

    /// Microseconds of processor time that this thread has used.
    private func clock() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}
