// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherClient

/// What becomes of requests whose connection ends before their answer.
@Suite(.timeLimit(.minutes(5)))
struct LostConnectionTests {
    @Test func `When the connection is lost a fetch is made once more and a raw call is not`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: .quick)
        let peer = try await server.greetedPeer()
        async let fetched = client.fetchUser()
        _ = try await peer.request("user.fetch")
        let call = Task { try await client.call("user.rename", params: #"{"name":"Ada"}"#) }
        _ = try await peer.request("user.rename")
        peer.close()
        let error = await #expect(throws: ClientError.self) { try await call.value }
        #expect(error?.code == .connectionLost)
        #expect(error?.isRetryable == true)
        let next = try await server.greetedPeer()
        next.reply(to: try await next.request("user.fetch"), userReply(1000, "Ada"))
        #expect(try await fetched.name == "Ada")
        async let pong = client.ping()
        #expect(try await next.restUntilPing().isEmpty)
        _ = try await pong
    }

    @Test func `A change is sent with its key on each connection, until it is answered`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: .quick)
        let rename = Task { try await client.renameUser(to: "Ada") }
        let more = Task { try await client.fetchMoreMovies() }
        let refresh = Task { try await client.refreshMovies() }
        var keys: Set<[String?]> = []
        for connection in 1...4 {
            let peer = try await server.greetedPeer()
            let requests = [
                try await peer.request("user.rename"), try await peer.request("movies.fetch"),
                try await peer.request("movies.refresh"),
            ]
            keys.insert(requests.map { $0.params?.key })
            guard connection == 4 else {
                peer.close()
                continue
            }
            peer.reply(to: requests[0], userReply(1000, "Ada"))
            peer.reply(to: requests[1], moviesReply(offset: 0, ids: 0..<1, next: nil, total: 1))
            peer.reply(
                to: requests[2],
                #"{"list":"popular","status":\#(statusJSON(total: 1)),"cursor":"a:1"}"#)
            #expect(try await rename.value.name == "Ada")
            #expect(try await more.value.movies.count == 1)
            #expect(try await refresh.value.total == 1)
        }
        #expect(keys.count == 1)
        let sent = Set(keys.joined().compactMap(\.self))
        #expect(sent.count == 3 && sent.allSatisfy { $0.utf8.count == 32 })
    }

    @Test func `A change that a daemon refuses because it stops is asked of the next one`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: .quick)
        let rename = Task { try await client.renameUser(to: "Ada") }
        let peer = try await server.greetedPeer()
        let first = try await peer.request("user.rename")
        peer.fail(first, "shutting_down")
        async let pong = client.ping()
        #expect(try await peer.restUntilPing().isEmpty, "not on the connection that ends")
        _ = try await pong
        peer.close()
        let next = try await server.greetedPeer()
        let second = try await next.request("user.rename")
        #expect(second.params?.key == first.params?.key)
        next.reply(to: second, userReply(1000, "Ada"))
        #expect(try await rename.value.name == "Ada")
    }

    @Test func `A fetch whose connection is lost twice fails`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: .quick)
        let task = Task { try await client.fetchUser(id: 2) }
        for _ in 1...2 {
            let peer = try await server.greetedPeer()
            #expect(try await peer.request("user.fetch").params?.user == 2)
            peer.close()
        }
        let error = await #expect(throws: ClientError.self) { try await task.value }
        #expect(error?.code == .connectionLost)
        async let uptime = client.ping()
        let peer = try await server.greetedPeer()
        peer.reply(to: try await peer.request("ping"), #"{"uptime_ms":3}"#)
        #expect(try await uptime == .milliseconds(3))
    }
}
