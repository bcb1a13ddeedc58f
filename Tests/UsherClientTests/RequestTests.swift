// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

@testable import UsherClient

@Suite(.timeLimit(.minutes(5)))
struct RequestTests {
    @Test func `Answers find their requests in any order, and an answer to nobody is passed over`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        async let first = client.fetchUser(id: 1)
        let firstRequest = try await peer.request("user.fetch")
        async let second = client.fetchUser(id: 2)
        let secondRequest = try await peer.request("user.fetch")
        #expect(firstRequest.params?.user == 1)
        #expect(secondRequest.params?.user == 2)
        peer.send(#"{"jsonrpc":"2.0","id":987654321,"result":{"user":9}}"#)
        peer.send(#"{"jsonrpc":"2.0","id":"text","result":{"user":9}}"#)
        peer.send(#"{"jsonrpc":"2.0","id":1e99,"error":{"code":1,"message":"to nobody"}}"#)
        peer.reply(to: secondRequest, userReply(2, "Bo"))
        peer.reply(to: firstRequest, userReply(1, "Al"))
        #expect(try await second == User(id: 2, name: "Bo", username: "u2"))
        #expect(try await first == User(id: 1, name: "Al", username: "u1"))
    }

    @Test func `An error of the daemon keeps its reason and its advice`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        async let fetched = client.fetchMoreMovies()
        peer.send(
            """
            {"jsonrpc":"2.0","id":\(try await peer.request("movies.fetch").id ?? 0),"error":\
            {"code":-32006,"message":"32 requests are in flight","data":{"reason":"busy",\
            "retryable":true,"retry_after_ms":250}}}
            """)
        do {
            _ = try await fetched
            Issue.record("an error was answered")
        } catch {
            #expect(
                error as? ClientError
                    == ClientError(
                        .refused, "32 requests are in flight", reason: "busy", isRetryable: true,
                        retryAfter: .milliseconds(250)))
        }
    }

    @Test func `A request that is not answered in time fails, and its late answer harms nobody`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        let error = await #expect(throws: ClientError.self) {
            try await client.call("ping", timeout: .milliseconds(10))
        }
        #expect(error?.code == .timedOut)
        #expect(error?.isRetryable == true)
        peer.reply(to: try await peer.request("ping"), #"{"uptime_ms":1}"#)
        async let next = client.call("ping")
        peer.reply(to: try await peer.request("ping"), #"{"uptime_ms":2}"#)
        #expect(try await next == #"{"uptime_ms":2}"#)
    }

    @Test func `A request that finds no connection in time says why there is none`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: .patient)
        let peer = try await server.greetedPeer()
        await client.connection.becomes(.connected(.fake))
        async let lost = client.firstDisconnection()
        server.stop()
        peer.close()
        _ = try await lost
        let error = await #expect(throws: ClientError.self) {
            try await client.call("ping", timeout: .milliseconds(10))
        }
        #expect(error?.code == .timedOut)
        #expect((error?.underlying as? ClientError)?.code == .connectionLost)
    }

    @Test func `A cancelled request fails at once, and its late answer harms nobody`() async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        let task = Task { try await client.fetchUser() }
        let abandoned = try await peer.request("user.fetch")
        task.cancel()
        let error = await #expect(throws: ClientError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        peer.reply(to: abandoned, userReply(1, "Late"))
        async let next = client.fetchUser()
        peer.reply(to: try await peer.request("user.fetch"), userReply(1, "Ada"))
        #expect(try await next.name == "Ada")
    }

    @Test func `A request in a cancelled task is not sent`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        let gate = Inbox<Void>()
        let task = Task {
            try await gate.next()
            _ = try await client.renameUser(to: "Never")
        }
        task.cancel()
        gate.put(())
        let error = await #expect(throws: ClientError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        async let pong = client.ping()
        #expect(try await peer.restUntilPing().isEmpty)
        _ = try await pong
    }

    @Test func `Cancelling and answering at once resumes each caller exactly once`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        for _ in 0..<300 {
            let task = Task { try await client.ping() }
            peer.reply(to: try await peer.request("ping"), #"{"uptime_ms":1}"#)
            task.cancel()
            switch await task.result {
            case .success(let uptime): #expect(uptime == .milliseconds(1))
            case .failure(let error): #expect((error as? ClientError)?.code == .cancelled)
            }
        }
    }

    @Test func `A request that is cancelled while it is being sent is not forgotten`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        defer { peer.close() }
        for _ in 0..<5_000 {
            let task = Task { try await client.ping() }
            await Task.yield()
            task.cancel()
            let result = await task.result
            guard case .failure(let error as ClientError) = result, error.code == .cancelled else {
                Issue.record("\(result)")
                return
            }
        }
    }

    @Test func `Requests wait for the connection and are sent in order`() async throws {
        let path = FakeServer.newPath()
        let server = try FakeServer(path: path)
        let client = UsherClient(socket: path)
        let peer = try await server.peer()
        let first = Task { try await client.call("a") }
        await client.untilWaiting(1)
        let second = Task { try await client.call("b") }
        await client.untilWaiting(2)
        try await peer.greet()
        let requests = [
            try await peer.request { "ab".contains($0.method) },
            try await peer.request { "ab".contains($0.method) },
        ].compactMap(\.self)
        #expect(requests.map(\.method) == ["a", "b"])
        for request in requests { peer.reply(to: request, "{}") }
        #expect(try await first.value == "{}")
        #expect(try await second.value == "{}")
    }

    @Test func `Closing fails what is in flight and what comes after`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        let task = Task { try await client.fetchUser() }
        _ = try await peer.request("user.fetch")
        client.close()
        let inFlight = await #expect(throws: ClientError.self) { try await task.value }
        #expect(inFlight?.code == .closed)
        let later = await #expect(throws: ClientError.self) { try await client.ping() }
        #expect(later?.code == .closed)
        _ = try await peer.rest()
        client.close()
    }

    @Test func `A daemon that does not read holds nobody up, and gets no more than fits`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        await client.connection.becomes(.connected(.fake))
        peer.pauseReading()
        let text = String(repeating: "x", count: 60_000)
        let tasks = (0..<20).map { _ in
            Task { try await client.call("x", params: "{\"text\":\"\(text)\"}") }
        }
        await client.untilWaiting(20)
        #expect(client.link.state.withLock { $0.output.unsentBytes } < 2 * Output.highWater)
        for task in tasks { task.cancel() }
        for task in tasks {
            let error = await #expect(throws: ClientError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        peer.resumeReading()
        async let pong = client.ping()
        let sent = try await peer.restUntilPing()
        #expect(sent.count < 20)
        _ = try await pong
    }

    @Test func `A raw call gives the result byte for byte`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        async let result = client.call(
            "movies.get", params: "{\n  \"offset\": 3,\r\n  \"list\": \"a b\"\n}")
        let request = try await peer.request("movies.get")
        #expect(request.params?.offset == 3)
        #expect(request.params?.list == "a b")
        let text = #"{"items":[1e3,"\u00e9\"}]",{"error":null}], "next":null}"#
        peer.send(#"{ "result" : \#(text) , "id":\#(request.id ?? 0)}"#)
        #expect(try await result == text)
    }

    @Test func `Parameters that are no JSON object or too long are refused before they are sent`()
        async throws
    {
        let client = UsherClient(socket: FakeServer.newPath())
        let long = "{\"text\":\"\(String(repeating: "x", count: 66_000))\"}"
        let wrong = ["", "1", "[]", "{", "{}{}", #"{},"id":7"#, "{\"a\":\"x\ny\"}", long]
        for params in wrong {
            let error = await #expect(throws: ClientError.self) {
                try await client.call("ping", params: params)
            }
            #expect(error?.code == .invalidRequest, "\(params.prefix(20))")
        }
    }

    @Test func `Movies that did not fit the answer are asked for`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        async let page = client.fetchMoreMovies(list: .upcoming)
        let request = try await peer.request("movies.fetch")
        #expect(request.params?.list == "upcoming")
        #expect(request.params?.page == nil)
        peer.reply(to: request, moviesReply(offset: 4, ids: 4..<6, next: 6, total: 8))
        let rest = try await peer.request("movies.get")
        #expect(rest.params?.offset == 6)
        #expect(rest.params?.limit == 2)
        peer.reply(to: rest, moviesReply(offset: 6, ids: 6..<8, next: nil, total: 8))
        let result = try await page
        #expect(result.offset == 4)
        #expect(result.movies.map(\.id) == [4, 5, 6, 7])
        #expect(result.status.total == 8)
    }

    @Test func `Each request is sent as the protocol says and its answer is understood`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()

        async let renamed = client.renameUser(to: "새 \"이름\"\n", id: 5)
        let rename = try await peer.request("user.rename")
        #expect(rename.params?.name == "새 \"이름\"\n")
        #expect(rename.params?.user == 5)
        peer.reply(to: rename, userReply(5, "새"))
        #expect(try await renamed.name == "새")

        async let state = client.readUser()
        let get = try await peer.request("user.get")
        #expect(get.params == nil)
        peer.reply(to: get, #"{"user":1,"state":{"state":"error","message":"no"},"cursor":"a:1"}"#)
        #expect(try await state == .error("no"))

        async let stretch = client.readMovies(offset: 2, limit: 3, list: .topRated)
        let read = try await peer.request("movies.get")
        #expect(read.params?.list == "top_rated")
        #expect(read.params?.offset == 2)
        #expect(read.params?.limit == 3)
        peer.reply(to: read, moviesReply(offset: 2, ids: 2..<5, next: nil, total: 5))
        #expect(try await stretch.movies.map(\.id) == [2, 3, 4])

        async let status = client.refreshMovies()
        let refresh = try await peer.request("movies.refresh")
        peer.reply(
            to: refresh, #"{"list":"popular","status":\#(statusJSON(total: 3)),"cursor":"a:1"}"#)
        #expect(try await status.total == 3)

        async let stats = client.stats()
        peer.reply(to: try await peer.request("stats"), #"{"clients":1}"#)
        #expect(try await stats == #"{"clients":1}"#)

        async let odd = client.ping()
        peer.reply(to: try await peer.request("ping"), #"{"uptime":"long"}"#)
        do {
            _ = try await odd
            Issue.record("the answer cannot be understood")
        } catch {
            #expect((error as? ClientError)?.code == .unexpectedReply)
        }
    }
}
