// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UsherEventLoop

@testable import UsherUpstream

private let server = HTTPTestServer.shared

@Suite(.timeLimit(.minutes(5))) struct `A proxy` {
    private func identity(_ proxy: String) throws -> HTTPIdentity {
        var identity = HTTPIdentity(
            userAgent: "usherd/test", certificateFile: server.certificateFile)
        identity.proxy = try ProxyChoice(proxy)
        identity.proxyName = proxy
        return identity
    }

    @Test func `gets the whole address of a plain request`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let response = try test.get(
                "http://films.test/page/\(token)",
                identity: identity("http://127.0.0.1:\(server.port)")
            ).get()
            #expect(response.status == 200)
            let head = try #require(try server.requests(token: token).first)
            #expect(head.hasPrefix("GET http://films.test/page/\(token)/x?page=1 HTTP/1.1\r\n"))
        }
    }

    @Test func `leads a secure request through, and sees nothing of it`() throws {
        try withTestLoop { test in
            let token = HTTPTestServer.makeToken()
            let place = "films.test:\(server.securePort)"
            let response = try test.get(
                "https://\(place)/page/\(token)",
                identity: identity("http://127.0.0.1:\(server.port)")
            ).get()
            #expect(response.status == 200)
            let heads = try server.requests(token: place)
            #expect(heads.last?.hasPrefix("CONNECT \(place) HTTP/1.1\r\n") == true)
            #expect(heads.allSatisfy { !$0.contains(token) })
        }
    }

    @Test(arguments: [
        (
            "https://locked.test", "127.0.0.1:PORT", UpstreamError.Kind.refused(status: 407),
            "wants a password"
        ),
        ("https://other.test", "127.0.0.1:PORT", .unreachable, "(HTTP 502)"),
        (
            "https://other.test", "127.0.0.1:1", .unreachable,
            "cannot connect to other.test, or to the proxy"
        ),
        ("https://other.test", "x.invalid:1", .unreachable, "the name of the proxy"),
    ])
    func `that fails is told from a service that does`(
        address: String, proxy: String, kind: UpstreamError.Kind, message: String
    ) throws {
        try withTestLoop { test in
            var patient = HTTPLimits()
            patient.connectMilliseconds = 18_000
            let proxy = "http://" + proxy.replacing("PORT", with: "\(server.port)")
            let error = try #require(
                try test.get(address, limits: patient, identity: identity(proxy)).failure)
            #expect(error.kind == kind)
            #expect(error.message.contains(message), "\(error.message)")
            #expect(error.message.contains(proxy))
        }
    }

    @Test(arguments: [
        "proxy:3128", "ftp://proxy", "http://", "http://a b", "http://h/path", "http://h?x", "",
        "NONE", "http://\u{e9}", "HTTP://h", "http:/h", "http:///h", "http://h/?", "http://h#",
        "http://h:x", "http://h:65536", "socks6://h", "http://me:secret@h/path", "http://[zz]",
    ])
    func `that makes no sense is refused with what does`(text: String) {
        let error = #expect(throws: UpstreamError.self) { try ProxyChoice(text) }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains("http://host:3128") == true)
    }

    @Test(arguments: [
        "http://h", "https://h:3128/", "http://[::1]:3128", "socks4://h:1", "socks4a://h",
        "socks5://127.0.0.1:1080", "socks5h://a.b-c_d:1080",
    ])
    func `is taken as it is written`(text: String) throws {
        #expect(try ProxyChoice(text) == .address(text))
    }

    @Test(arguments: [
        "http://me:secret@proxy:1", "http://me@proxy:1", "http://@proxy", "socks5://:secret@h/",
    ])
    func `takes a password from the environment only`(text: String) {
        let error = #expect(throws: UpstreamError.self) { try ProxyChoice(text) }
        #expect(error?.message.contains("https_proxy") == true)
        #expect(error?.message.contains("secret") == false)
    }

    @Test(
        arguments: [
            ("https://h", ["https_proxy": "http://a:1"], "http://a:1 https_proxy"),
            ("https://h", ["HTTPS_PROXY": "http://a:1"], "http://a:1 HTTPS_PROXY"),
            ("https://h", ["https_proxy": "", "ALL_PROXY": "a"], "a ALL_PROXY"),
            ("https://h", ["http_proxy": "http://a:1"], nil),
            ("http://h", ["http_proxy": "http://a:1"], "http://a:1 http_proxy"),
            // Anybody may set a CGI program's HTTP_PROXY, by a header: libcurl does not read it.
            ("http://h", ["HTTP_PROXY": "http://a:1"], nil),
            (
                "https://h", ["https_proxy": "http://me:se@cret@a:1/"],
                "http://a:1/ https_proxy"
            ),
            ("https://h", ["https_proxy": "me:secret@a:1"], "a:1 https_proxy"),
        ] as [(String, [String: String], String?)])
    func `is named without user name and password`(
        address: String, environment: [String: String], name: String?
    ) throws {
        let base = try BaseURL(address, purpose: "it")
        let found = ProxyChoice.environment.inUse(for: base, environment: environment)
        #expect(found.map { "\($0.name) \($0.source)" } == name)
        #expect(ProxyChoice.none.inUse(for: base, environment: environment) == nil)
    }
}
