// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Observation
import Testing
import UsherStreams

@testable import UsherClient

/// Views read `value` and do nothing else: that has to be enough.
@Suite(.timeLimit(.minutes(5)))
@MainActor
struct ObservationTests {
    private let epoch = "00000000000000aa"
    private let ada = UserState.loaded(User(id: 1, name: "Ada", username: "u1"))

    @Test func `withObservationTracking alone subscribes, and sees the states`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let serving = Task { try await serveUser(over: server) }
        let changes = Inbox<Void>()
        func look() -> UserState {
            withObservationTracking {
                client.user.value
            } onChange: {
                changes.put(())
            }
        }
        var shown = [look()]
        while shown.last != ada {
            try await changes.next()
            shown.append(look())
        }
        #expect(shown.first == .initial)
        try await serving.value
    }

    @Test func `Observations alone subscribes, and sees the states`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let serving = Task { try await serveUser(over: server) }
        var shown: [UserState] = []
        for await state in Observations({ client.user.value }) {
            shown.append(state)
            if state == ada { break }
        }
        #expect(shown.first == .initial)
        try await serving.value
    }

    @Test func `A list that a view reads stays subscribed to, though observers come and go`()
        async throws
    {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        #expect(client.movies(.upcoming).value.movies.isEmpty)
        let subscription = try await peer.request("subscribe")
        #expect(subscription.params?.topic == "movies/upcoming")
        client.movies(.upcoming).observe { _ in }.cancel()
        client.pages(.upcoming).observe { _ in }.cancel()
        async let pong = client.ping()
        #expect(try await peer.restUntilPing().isEmpty)
        _ = try await pong
    }

    private func serveUser(over server: FakeServer) async throws {
        let peer = try await server.greetedPeer()
        let subscription = try await peer.request("subscribe")
        peer.begin(subscription, cursor: "\(epoch):4", snapshot: #"{"state":"loading"}"#)
        peer.push(subscription.name, prev: "\(epoch):4", cursor: "\(epoch):7", userJSON(1, "Ada"))
    }
}
