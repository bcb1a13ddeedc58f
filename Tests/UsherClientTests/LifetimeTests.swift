// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

@testable import UsherClient

@Suite(.timeLimit(.minutes(5)))
struct LifetimeTests {
    @Test func `Letting a client go ends its loops, its connection and its thread`() async throws {
        let server = try FakeServer()
        weak var link: Link?
        let ended = Recorder<String>()
        let peer: FakePeer
        var observations: [Subscription] = []
        do {
            let client = UsherClient(socket: server.path)
            link = client.link
            peer = try await server.greetedPeer()
            loop(over: client.user, "user", ended)
            loop(over: client.user(id: 3), "user 3", ended)
            loop(over: client.movies, "movies", ended)
            loop(over: client.pages(.upcoming), "pages", ended)
            loop(over: client.connection, "connection", ended)
            loop(over: client.engine, "engine", ended)
            client.user.observe { _ in }.store(in: &observations)
            for _ in 1...4 { _ = try await peer.request("subscribe") }
        }
        #expect(
            try await Set(ended.first(6)) == [
                "user", "user 3", "movies", "pages", "connection", "engine",
            ])
        // The end of the connection.
        _ = try await peer.rest()
        // The thread keeps the link until it ends.
        while link != nil { await Task.yield() }
    }

    @Test func `A client that never connects goes as well`() async throws {
        weak var link: Link?
        do {
            let client = UsherClient(socket: FakeServer.newPath(), options: .patient)
            link = client.link
            await #expect(throws: ClientError.self) { try await client.ping() }
        }
        while link != nil { await Task.yield() }
    }

    @Test func `Observers that come and go while the thread is busy leave one note a topic`() {
        let link = Link(
            search: SocketSearch(explicit: FakeServer.newPath()), name: nil, options: .patient)
        let user = link.userStream(.ownUser)
        let list = link.listStreams(.popular)
        for _ in 0..<1_000 {
            user.observe { _ in }.cancel()
            list.pages.observe { _ in }.cancel()
            list.movies.observe { _ in }.cancel()
        }
        let notes = link.state.withLock { $0.changedInterest }
        #expect(notes == [.ownUser: false, .movies(.popular): true])
    }

    @Test func `Closing shows as the last state of the connection`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        let states = Recorder<ConnectionState>()
        let observation = client.connection.observe { states.add($0) }
        await client.connection.becomes(.connected(.fake))
        client.close()
        for await _ in client.connection {}
        #expect(states.all.suffix(2) == [.connected(.fake), .closed])
        #expect(client.connection.value == .closed)
        for await _ in client.movies(.topRated) {}
        for await _ in client.user(id: 77) {}
        _ = try await peer.rest()
        observation.cancel()
    }

    @Test func `A client may be closed, observed and asked in its own observers`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        let seen = Recorder<UserState>()
        let inner = Recorder<Subscription>()
        let observation = client.user.observe { [weak client] state in
            guard state == .loading, let client else { return }
            inner.add(client.user(id: 9).observe { seen.add($0) })
            Task { try await client.renameUser(to: "x") }
        }
        peer.begin(
            try await peer.request("subscribe"), cursor: "aa:1", snapshot: #"{"state":"loading"}"#)
        peer.begin(
            try await peer.request("subscribe", topic: "user/9"), cursor: "aa:1",
            snapshot: userJSON(9, "Ann"))
        _ = try await peer.request("user.rename")
        #expect(try await seen.first(2).last?.user?.name == "Ann")
        let closing = client.user(id: 9).observe { [weak client] _ in client?.close() }
        for await _ in client.connection {}
        closing.cancel()
        observation.cancel()
    }

    private func loop<Stream: AsyncSequence & Sendable>(
        over stream: Stream, _ name: String, _ ended: Recorder<String>
    ) where Stream.Failure == Never {
        // Registered before this returns.
        let iterator = stream.makeAsyncIterator()
        Task {
            var iterator = iterator
            while await iterator.next(isolation: nil) != nil {}
            ended.add(name)
        }
    }
}
