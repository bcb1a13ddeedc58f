// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

@testable import UsherClient

@Suite(.timeLimit(.minutes(5)))
struct UserStreamTests {
    private let epoch = "00000000000000aa"
    private let ada = UserState.loaded(User(id: 1, name: "Ada", username: "u1"))

    @Test func `A topic is subscribed to while it is observed, and goes on from where it was`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        #expect(client.user.current == .initial)
        async let pong = client.ping()
        #expect(try await peer.restUntilPing().isEmpty)
        _ = try await pong

        let states = Recorder<UserState>()
        let first = client.user.observe { states.add($0) }
        let second = client.user.observe { _ in }
        let subscription = try await peer.request("subscribe")
        #expect(subscription.params?.topic == "user")
        #expect(subscription.params?.since == nil)
        peer.begin(subscription, cursor: "\(epoch):4", snapshot: #"{"state":"loading"}"#)
        peer.push(subscription.name, prev: "\(epoch):4", cursor: "\(epoch):7", userJSON(1, "Ada"))
        #expect(try await states.first(3) == [.initial, .loading, ada])

        first.cancel()
        async let stillObserved = client.ping()
        #expect(try await peer.restUntilPing().isEmpty)
        _ = try await stillObserved
        second.cancel()
        #expect(try await peer.request("unsubscribe").name == subscription.name)
        #expect(client.user.current == ada)

        let third = client.user.observe { states.add($0) }
        let again = try await peer.request("subscribe")
        #expect(again.params?.since == "\(epoch):7")
        #expect(again.name != subscription.name)
        peer.resume(again)
        peer.push(subscription.name, prev: "\(epoch):7", cursor: "\(epoch):8", userJSON(1, "Late"))
        peer.push(again.name, prev: "\(epoch):7", cursor: "\(epoch):9", #"{"state":"initial"}"#)
        #expect(try await states.first(5) == [.initial, .loading, ada, ada, .initial])
        third.cancel()
    }

    @Test func `Lines that come in single bytes, blank ones and CRs make no difference`()
        async throws
    {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let states = Recorder<UserState>()
        let observation = client.user.observe { states.add($0) }
        let subscription = try await peer.request("subscribe")
        peer.begin(subscription, cursor: "\(epoch):1", snapshot: #"{"state":"loading"}"#)
        let line = FakePeer.push(
            subscription.name, prev: "\(epoch):1", cursor: "\(epoch):2", userJSON(1, "中🎬é"))
        for byte in Array(line.utf8) + [0x0D, 0x0A] { peer.send(bytes: [byte]) }
        #expect(
            try await states.first(3).last
                == .loaded(User(id: 1, name: "中🎬é", username: "u1")))
        observation.cancel()
    }

    @Test func `What this client does not know is passed over`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let states = Recorder<UserState>()
        let observation = client.user.observe { states.add($0) }
        let subscription = try await peer.request("subscribe")
        let name = subscription.name
        peer.begin(subscription, cursor: "\(epoch):1", snapshot: #"{"state":"loading"}"#)
        peer.send(#"{"jsonrpc":"2.0","method":"weather","params":{"as":"\#(name)"}}"#)
        peer.send(#"{"jsonrpc":"2.0","method":"event","params":{"as":"nobody's","data":7}}"#)
        peer.send(#"{"jsonrpc":"2.0","method":"event"}"#)
        peer.send(#"{"hello":"there"}"#)
        peer.send(
            """
            {"new":{"deep":[1,{"x":"}"}]},"method":"event","params":{"as":"\(name)","why":"fun",\
            "cursor":"\(epoch):2","prev":"\(epoch):1","data":{"state":"loaded","mood":"good",\
            "user":{"id":1,"name":"Ada","username":"u1","shoe":44}}}}
            """)
        peer.push(name, prev: "\(epoch):2", cursor: "\(epoch):3", #"{"state":"asleep"}"#)
        let all = try await states.first(4)
        #expect(all[2] == ada)
        guard case .error(let message) = all[3] else {
            Issue.record("a state that is not known is an error")
            return
        }
        #expect(message.contains("asleep"))
        observation.cancel()
    }

    @Test func `A revision that comes twice is shown once`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let states = Recorder<UserState>()
        let observation = client.user.observe { states.add($0) }
        let subscription = try await peer.request("subscribe")
        peer.begin(subscription, cursor: "\(epoch):1", snapshot: #"{"state":"loading"}"#)
        for _ in 1...3 {
            peer.push(
                subscription.name, prev: "\(epoch):1", cursor: "\(epoch):2", userJSON(1, "Ada"))
        }
        peer.push(
            subscription.name, prev: "\(epoch):2", cursor: "\(epoch):3", #"{"state":"initial"}"#)
        #expect(try await states.first(4) == [.initial, .loading, ada, .initial])
        async let pong = client.ping()
        #expect(try await peer.restUntilPing().isEmpty)
        _ = try await pong
        observation.cancel()
    }

    @Test(arguments: [
        ("00000000000000aa:5", "00000000000000aa:6"),  // something was missed
        ("00000000000000bb:1", "00000000000000bb:2"),  // another history
        ("00000000000000aa:1", "00000000000000bb:2"),  // another history from here on
    ])
    func `A push that does not follow on makes the topic start over`(
        prev: String, cursor: String
    ) async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let states = Recorder<UserState>()
        let observation = client.user.observe { states.add($0) }
        let subscription = try await peer.request("subscribe")
        peer.begin(subscription, cursor: "\(epoch):1", snapshot: #"{"state":"loading"}"#)
        peer.push(subscription.name, prev: prev, cursor: cursor, userJSON(1, "Wrong"))
        #expect(try await peer.request("unsubscribe").name == subscription.name)
        let again = try await peer.request("subscribe")
        #expect(again.params?.topic == "user")
        #expect(again.params?.since == nil)
        peer.push(subscription.name, prev: cursor, cursor: "\(epoch):99", userJSON(1, "Wrong"))
        peer.begin(again, cursor: "00000000000000bb:9", snapshot: userJSON(1, "Ada"))
        #expect(try await states.first(3) == [.initial, .loading, ada])
        observation.cancel()
    }

    @Test func `A daemon whose pushes never fit is given up`() async throws {
        let (server, client) = try started(.patient)
        let peer = try await server.greetedPeer()
        let observation = client.user.observe { _ in }
        async let failure = client.firstDisconnection()
        while let subscription = try await peer.request(where: { $0.method == "subscribe" }) {
            peer.begin(subscription, cursor: "\(epoch):1", snapshot: #"{"state":"loading"}"#)
            peer.push(
                subscription.name, prev: "\(epoch):7", cursor: "\(epoch):8", userJSON(1, "Ada"))
        }
        #expect(try await failure.code == .unexpectedReply)
        observation.cancel()
    }

    @Test func `After a restart the streams go on from their cursors`() async throws {
        let (server, client) = try started(.quick)
        var peer = try await server.greetedPeer()
        let own = Recorder<UserState>()
        let other = Recorder<UserState>()
        let observations = [
            client.user.observe { own.add($0) },
            client.user(id: 7).observe { other.add($0) },
        ]
        peer.begin(
            try await peer.request("subscribe", topic: "user"), cursor: "\(epoch):3",
            snapshot: #"{"state":"loading"}"#)
        peer.begin(
            try await peer.request("subscribe", topic: "user/7"), cursor: "\(epoch):4",
            snapshot: #"{"state":"loading"}"#)
        _ = try await (own.first(2), other.first(2))
        peer.close()

        peer = try await server.greetedPeer()
        let ownAgain = try await peer.request("subscribe", topic: "user")
        let otherAgain = try await peer.request("subscribe", topic: "user/7")
        #expect(ownAgain.params?.since == "\(epoch):3")
        #expect(otherAgain.params?.since == "\(epoch):4")
        peer.resume(ownAgain)
        peer.push(ownAgain.name, prev: "\(epoch):3", cursor: "\(epoch):8", userJSON(1, "Ada"))
        peer.begin(
            otherAgain, cursor: "00000000000000bb:2", reason: "epoch_changed",
            snapshot: #"{"state":"error","message":"gone"}"#)
        #expect(try await own.first(3) == [.initial, .loading, ada])
        #expect(try await other.first(3) == [.initial, .loading, .error("gone")])

        peer.close()
        peer = try await server.greetedPeer()
        let third = try await peer.request("subscribe", topic: "user/7")
        #expect(third.params?.since == "00000000000000bb:2")
        for observation in observations { observation.cancel() }
    }

    @Test func `A snapshot that is the state already is not shown twice`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let states = Recorder<UserState>()
        let observation = client.user.observe { states.add($0) }
        let subscription = try await peer.request("subscribe")
        peer.begin(subscription, cursor: "\(epoch):0", snapshot: #"{"state":"initial"}"#)
        peer.push(
            subscription.name, prev: "\(epoch):0", cursor: "\(epoch):1", #"{"state":"loading"}"#)
        #expect(try await states.first(2) == [.initial, .loading])
        observation.cancel()
    }

    @Test func `A refused subscription shows as an error, and is tried again when observed again`()
        async throws
    {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let states = Recorder<UserState>()
        let observation = client.user(id: 0).observe { states.add($0) }
        peer.fail(try await peer.request("subscribe"), "permission_denied")
        #expect(try await states.first(2) == [.initial, .error("no: permission_denied")])
        observation.cancel()
        let again = client.user(id: 0).observe { _ in }
        let subscription = try await peer.request("subscribe")
        #expect(subscription.params?.topic == "user/0")
        #expect(subscription.params?.since == nil)
        again.cancel()
    }

    @Test func `A cursor that the daemon refuses is given up`() async throws {
        let (server, client) = try started(.quick)
        var peer = try await server.greetedPeer()
        let observation = client.user.observe { _ in }
        peer.begin(
            try await peer.request("subscribe"), cursor: "odd", snapshot: #"{"state":"loading"}"#)
        await client.user.becomes(.loading)
        peer.close()
        peer = try await server.greetedPeer()
        let resumption = try await peer.request("subscribe")
        #expect(resumption.params?.since == "odd")
        peer.fail(resumption, "bad_cursor")
        let fresh = try await peer.request("subscribe")
        #expect(fresh.params?.since == nil)
        peer.begin(fresh, cursor: "\(epoch):1", snapshot: userJSON(1, "Ada"))
        await client.user.becomes(ada)
        observation.cancel()
    }

    @Test(arguments: [
        Array("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"as\"\n".utf8),
        Array("no JSON at all\n".utf8),
        Array("{\"name\":\"".utf8) + [0xFF, 0xFE] + Array("\"}\n".utf8),
        [UInt8](repeating: UInt8(ascii: "x"), count: 70_000),
        Array("{\"partial\":".utf8),
    ])
    func `After a broken line, one that is too long, or half a line, the streams go on anew`(
        bytes: [UInt8]
    ) async throws {
        let (server, client) = try started(.quick)
        var peer = try await server.greetedPeer()
        let observation = client.user.observe { _ in }
        peer.begin(
            try await peer.request("subscribe"), cursor: "\(epoch):1",
            snapshot: #"{"state":"loading"}"#)
        await client.user.becomes(.loading)
        peer.send(bytes: bytes)
        if bytes.count < 20 { peer.close() }
        peer = try await server.greetedPeer()
        let again = try await peer.request("subscribe")
        #expect(again.params?.since == "\(epoch):1")
        peer.resume(again)
        peer.push(again.name, prev: "\(epoch):1", cursor: "\(epoch):2", userJSON(1, "Ada"))
        await client.user.becomes(ada)
        observation.cancel()
    }

    @Test func `A thousand observers that come and go leave nothing behind`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        for _ in 0..<1_000 { client.user.observe { _ in }.cancel() }
        for _ in 0..<1_000 {
            let task = Task { for await _ in client.movies {} }
            task.cancel()
            await task.value
        }
        async let pong = client.ping()
        let requests = try await peer.restUntilPing()
        _ = try await pong
        let opened = requests.filter { $0.method == "subscribe" }.map(\.name)
        var closed = requests.filter { $0.method == "unsubscribe" }.map(\.name)
        // The client's thread may still be at the last one.
        while closed.count < opened.count {
            closed.append(try await peer.request("unsubscribe").name)
        }
        #expect(opened == closed)
        #expect(opened.count <= 2_000)
        let state = client.link.state.withLock { ($0.observedStreams, $0.changedInterest.count) }
        #expect(state.0.values.allSatisfy { $0 == 0 })
        #expect(state.1 <= 1)
    }

    private func started(
        _ options: UsherClient.Options = UsherClient.Options()
    ) throws -> (FakeServer, UsherClient) {
        let server = try FakeServer()
        return (server, UsherClient(socket: server.path, options: options))
    }
}
