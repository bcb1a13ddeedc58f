// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UsherEventLoop

@testable import UsherUpstream

private let server = HTTPTestServer.shared

@Suite(.timeLimit(.minutes(5))) struct HTTPClientTests {
    @Test func `An answer comes with its status, its headers and its body`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let response = try test.get(server.address("page", token: token)).get()
            #expect(response.status == 200)
            #expect(response.contentType == "application/json;charset=utf-8")
            #expect(response.validators == .init(entityTag: "W/\"abc\""))
            #expect(response.retryAfterMilliseconds == nil)
            #expect(response.text.hasPrefix("{\"page\": 1, \"results\": [{\"id\": 1,"))
            let head = try #require(try test.requests(token: token).first)
            #expect(head.hasPrefix("GET /page/\(token)/x?page=1 HTTP/1.1\r\n"))
            #expect(head.contains("User-Agent: usherd/test\r\n"))
            #expect(head.contains("Accept-Encoding: gzip\r\n"))
            #expect(head.contains("Accept: application/json\r\n"))
        }
    }

    @Test(arguments: ["zipped", "chunked", "interim"])
    func `However an answer is packed, its body is the same`(step: String) throws {
        try withTestLoop { test in
            let plain = try test.get(server.address("page", token: HTTPTestServer.makeToken()))
            let packed = try test.get(server.address(step, token: HTTPTestServer.makeToken()))
            #expect(try packed.get().body == plain.get().body)
            #expect(try packed.get().retryAfterMilliseconds == nil)
        }
    }

    @Test(arguments: [
        ("cut", UpstreamError.Kind.unreachable, "broke before the answer was complete"),
        ("nothing", .unreachable, "broke before the answer was complete"),
        ("reset", .unreachable, "broke before the answer was complete"),
        ("hang", .timeout, "did not answer in time (2 s to connect, 1 s in all)"),
        ("hang_in_body", .timeout, "did not end within 1 s"),
        ("drip", .timeout, "did not end within 1 s"),
        ("huge", .badReply, "is larger than 2097152 bytes"),
        ("huge=said", .badReply, "is larger than 2097152 bytes"),
        ("bomb", .badReply, "is larger than 2097152 bytes"),
        ("many_headers", .badReply, "is larger than 2097152 bytes"),
        ("damaged_gzip=said", .badReply, "cannot be decompressed"),
        ("noise", .badReply, "does not answer in HTTP"),
    ])
    func `A service that misbehaves gives an error that says how`(
        step: String, kind: UpstreamError.Kind, message: String
    ) throws {
        try withTestLoop { test in
            var limits = impatient
            if kind == .badReply { limits.tryMilliseconds = 20_000 }
            let result = try test.get(
                server.address(step, token: HTTPTestServer.makeToken()), limits: limits)
            let error = try #require(result.failure)
            #expect(error.kind == kind)
            #expect(error.message.contains(message))
            #expect(error.message.contains("127.0.0.1:\(server.port)"))
            #expect(!error.message.contains("page=1"))
        }
    }

    @Test(arguments: [
        "", "file:///etc/passwd", "gopher://127.0.0.1:PORT/log/TOKEN",
        "http://127.0.0.1:PORT/page/TOKEN",
        "https://localhost:SECURE/page/TOKEN", "//127.0.0.1:PORT/page/TOKEN", "/page/TOKEN",
        "ftp://127.0.0.1/x",
    ])
    func `A redirect is not followed, wherever it leads`(location: String) throws {
        try withTestLoop { test in
            let (token, elsewhere) = (HTTPTestServer.makeToken(), HTTPTestServer.makeToken())
            let target = location.replacing("PORT", with: "\(server.port)")
                .replacing("SECURE", with: "\(server.securePort)")
                .replacing("TOKEN", with: elsewhere)
            let response = try test.get(
                server.address("redirect=\(target)", token: token),
                certificateFile: server.certificateFile
            ).get()
            #expect(response.status == 302)
            #expect(try test.requests(token: token).count == 1)
            #expect(try test.requests(token: elsewhere).isEmpty)
        }
    }

    @Test func `Retry-After that is a date counts by the clock of the service`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let response = try test.get(server.address("limited_until=7", token: token)).get()
            #expect(response.retryAfterMilliseconds == 7_000)
        }
    }

    @Test(arguments: ["odd_tag", "odd_tag=\u{e9}", "odd_tag=\u{1}"])
    func `A mark that is too long or odd is no mark`(step: String) throws {
        try withTestLoop { test in
            let response = try test.get(
                server.address(step, token: HTTPTestServer.makeToken())
            ).get()
            #expect(response.status == 200 && response.validators == nil)
        }
    }

    @Test func `Nobody listening, and no such name, are told apart`() throws {
        try withTestLoop { test in
            // Port 1 of this machine: nothing serves tcpmux.
            let refused = try #require(try test.get("http://127.0.0.1:1").failure)
            #expect(refused.kind == .unreachable)
            #expect(refused.message == "cannot connect to 127.0.0.1:1")
            // A resolver without a network may take its time to say so.
            var patient = HTTPLimits()
            patient.connectMilliseconds = 18_000
            let unknown = try #require(
                try test.get("http://x.invalid", limits: patient).failure)
            #expect(unknown.kind == .unreachable)
            #expect(unknown.message == "the name in x.invalid cannot be found (DNS)")
        }
    }

    @Test func `A certificate is trusted if its file is named, and only then`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let address = "https://localhost:\(server.securePort)/page/\(token)"
            let untrusted = try #require(try test.get(address).failure)
            #expect(untrusted.kind == .untrusted)
            #expect(!untrusted.isRetryable)
            let trusted = try test.get(address, certificateFile: server.certificateFile)
            #expect(try trusted.get().status == 200)
            let missing = try #require(
                try test.get(address, certificateFile: "/nonexistent/ca.pem").failure)
            #expect(missing.kind == .configuration)
            #expect(missing.message == "the CA file /nonexistent/ca.pem cannot be used")
        }
    }

    @Test func `A server without TLS is no secure server`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let error = try #require(
                try test.get("https://127.0.0.1:\(server.port)/page/\(token)").failure)
            #expect(error.kind == .unreachable)
            #expect(error.message.contains("no secure connection (TLS)"))
        }
    }

    @Test func `The loop goes on while a service hangs`() throws {
        try withTestLoop { test in
            var ticks = 0
            let ticker = Timer(on: test.loop) { ticks += 1 }
            ticker.start(afterMilliseconds: 10, repeatingMilliseconds: 10)
            let result = try test.get(
                server.address("hang", token: HTTPTestServer.makeToken()), limits: impatient)
            #expect(result.failure?.kind == .timeout)
            #expect(ticks > 5)
        }
    }

    @Test func `Many requests at once all complete, over few connections`() throws {
        try withTestLoop { test in
            var limits = HTTPLimits()
            limits.connections = 3
            let client = test.makeClient(limits: limits)
            let address = server.address("page", token: HTTPTestServer.makeToken())
            let request = HTTPRequest(try BaseURL(address, purpose: "the test server"), path: "/x")
            var completed = 0
            let statuses = try test.wait { (done: @escaping ([Int]) -> Void) in
                var statuses: [Int] = []
                for _ in 0..<50 {
                    client.get(request) { result in
                        statuses.append((try? result.get().status) ?? 0)
                        completed += 1
                        if completed == 50 { done(statuses) }
                    }
                }
            }
            #expect(statuses == Array(repeating: 200, count: 50))
        }
    }
}
