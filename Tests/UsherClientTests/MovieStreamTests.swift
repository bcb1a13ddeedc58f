// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

@testable import UsherClient

@Suite(.timeLimit(.minutes(5)))
struct MovieStreamTests {
    private let epoch = "00000000000000aa"

    @Test func `A list grows by its pages, in place`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let pages = Recorder<MoviePage>()
        let observations = [
            client.pages().observe { pages.add($0) }, client.movies.observe { _ in },
        ]
        let subscription = try await peer.request("subscribe")
        #expect(subscription.params?.topic == "movies/popular")
        peer.begin(
            subscription, cursor: "\(epoch):1",
            snapshot: changeJSON("reset", at: 0, ids: 1..<3, total: 2))
        peer.push(
            subscription.name, prev: "\(epoch):1", cursor: "\(epoch):2",
            changeJSON("append", at: 2, ids: 3..<6, total: 5))
        let all = try await pages.first(2)
        #expect(all.map(\.offset) == [0, 2])
        #expect(all.map(\.startsOver) == [true, false])
        #expect(all[1].movies.map(\.id) == [3, 4, 5])
        let list = client.movies.value
        #expect(list.movies.map(\.id) == [1, 2, 3, 4, 5])
        #expect(list.status.total == 5)
        async let pong = client.ping()
        #expect(try await peer.restUntilPing().isEmpty, "one subscription serves both streams")
        _ = try await pong
        for observation in observations { observation.cancel() }
    }

    @Test func `A chunk that overlaps what is there adds only what is new`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let pages = Recorder<MoviePage>()
        let observation = client.pages(.upcoming).observe { pages.add($0) }
        let subscription = try await peer.request("subscribe", topic: "movies/upcoming")
        peer.begin(
            subscription, cursor: "\(epoch):1",
            snapshot: changeJSON("reset", at: 0, ids: 1..<4, total: 3))
        peer.push(
            subscription.name, prev: "\(epoch):1", cursor: "\(epoch):2",
            changeJSON("append", at: 1, ids: 2..<6, total: 5))
        peer.push(
            subscription.name, prev: "\(epoch):2", cursor: "\(epoch):3",
            changeJSON("append", at: 0, ids: 1..<3, total: 6))
        peer.push(
            subscription.name, prev: "\(epoch):3", cursor: "\(epoch):4",
            changeJSON("append", at: 5, ids: 6..<7, total: 6))
        let all = try await pages.first(3)
        #expect(all.map { $0.movies.map(\.id) } == [[1, 2, 3], [4, 5], [6]])
        #expect(client.movies(.upcoming).value.movies.map(\.id) == [1, 2, 3, 4, 5, 6])
        observation.cancel()
    }

    @Test func `A change of the status alone is no page`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let pages = Recorder<MoviePage>()
        let observation = client.pages().observe { pages.add($0) }
        let subscription = try await peer.request("subscribe")
        peer.begin(
            subscription, cursor: "\(epoch):1",
            snapshot: changeJSON("reset", at: 0, ids: 1..<2, total: 1))
        peer.push(
            subscription.name, prev: "\(epoch):1", cursor: "\(epoch):2",
            changeJSON("append", at: 1, ids: 1..<1, total: 1, phase: "loading"))
        _ = await client.movies.first { $0.status.phase == .loading }
        #expect(pages.all.count == 1)
        observation.cancel()
    }

    @Test func `A chunk that leaves movies out makes the list start over`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let pages = Recorder<MoviePage>()
        let observation = client.pages().observe { pages.add($0) }
        let subscription = try await peer.request("subscribe")
        peer.begin(
            subscription, cursor: "\(epoch):1",
            snapshot: changeJSON("reset", at: 0, ids: 1..<3, total: 2))
        peer.push(
            subscription.name, prev: "\(epoch):1", cursor: "\(epoch):2",
            changeJSON("append", at: 3, ids: 4..<5, total: 4))
        #expect(try await peer.request("unsubscribe").name == subscription.name)
        let again = try await peer.request("subscribe")
        #expect(again.params?.since == nil)
        peer.begin(
            again, cursor: "\(epoch):2",
            snapshot: changeJSON("reset", at: 0, ids: 1..<5, total: 4))
        let all = try await pages.first(2)
        #expect(all[1].startsOver)
        #expect(all[1].movies.map(\.id) == [1, 2, 3, 4])
        observation.cancel()
    }

    @Test func `A new generation replaces the list, at its first chunk`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let lists = Recorder<[Int64]>()
        let observation = client.movies.observe { lists.add($0.movies.map(\.id)) }
        let subscription = try await peer.request("subscribe")
        peer.begin(
            subscription, cursor: "\(epoch):1",
            snapshot: changeJSON("reset", at: 0, ids: 1..<3, total: 2))
        peer.push(
            subscription.name, prev: "\(epoch):1", cursor: "\(epoch):5",
            changeJSON("reset", at: 0, ids: 10..<12, total: 4), more: true)
        peer.push(
            subscription.name, prev: "\(epoch):1", cursor: "\(epoch):5",
            changeJSON("append", at: 2, ids: 12..<14, total: 4))
        #expect(try await lists.first(4) == [[], [1, 2], [10, 11], [10, 11, 12, 13]])
        observation.cancel()
    }

    @Test func `While chunks follow the cursor stays, so that nothing is lost in between`()
        async throws
    {
        let (server, client) = try started()
        var peer = try await server.greetedPeer()
        let observation = client.movies.observe { _ in }
        var subscription = try await peer.request("subscribe")
        peer.begin(
            subscription, cursor: "\(epoch):0",
            snapshot: changeJSON("reset", at: 0, ids: 0..<2, total: 6), more: true)
        peer.push(
            subscription.name, prev: "\(epoch):0", cursor: "\(epoch):9",
            changeJSON("append", at: 2, ids: 2..<4, total: 6), more: true)
        _ = await client.movies.first { $0.movies.count == 4 }
        peer.close()

        peer = try await server.greetedPeer()
        subscription = try await peer.request("subscribe")
        #expect(subscription.params?.since == "\(epoch):0")
        peer.begin(
            subscription, cursor: "\(epoch):0", reason: "list_reset",
            snapshot: changeJSON("reset", at: 0, ids: 0..<3, total: 6), more: true)
        peer.push(
            subscription.name, prev: "\(epoch):0", cursor: "\(epoch):9",
            changeJSON("append", at: 3, ids: 3..<6, total: 6))
        peer.push(
            subscription.name, prev: "\(epoch):9", cursor: "\(epoch):10",
            changeJSON("append", at: 6, ids: 6..<7, total: 7), more: true)
        _ = await client.movies.first { $0.movies.count == 7 }
        peer.close()

        peer = try await server.greetedPeer()
        subscription = try await peer.request("subscribe")
        #expect(subscription.params?.since == "\(epoch):9")
        peer.resume(subscription)
        peer.push(
            subscription.name, prev: "\(epoch):9", cursor: "\(epoch):10",
            changeJSON("append", at: 6, ids: 6..<8, total: 8))
        _ = await client.movies.first { $0.movies.count == 8 }
        #expect(client.movies.value.movies.map(\.id) == Array(0..<8))
        observation.cancel()
    }

    @Test func `Who begins to observe pages gets what the list holds already`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let observation = client.movies.observe { _ in }
        let subscription = try await peer.request("subscribe")
        peer.begin(
            subscription, cursor: "\(epoch):1",
            snapshot: changeJSON("reset", at: 0, ids: 1..<3, total: 2))
        _ = await client.movies.first { $0.movies.count == 2 }
        let pages = Recorder<MoviePage>()
        let late = client.pages().observe { pages.add($0) }
        let first = try await pages.first(1)
        #expect(first[0].startsOver)
        #expect(first[0].offset == 0)
        #expect(first[0].movies.map(\.id) == [1, 2])
        late.cancel()
        observation.cancel()
    }

    @Test func `A refused list keeps its movies and shows the error`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let observation = client.movies("nonsense").observe { _ in }
        let subscription = try await peer.request("subscribe")
        #expect(subscription.params?.topic == "movies/nonsense")
        peer.fail(subscription, "unknown_topic")
        let list = await client.movies("nonsense").first { $0.status.phase == .error }
        #expect(list?.status.message == "no: unknown_topic")
        observation.cancel()
    }

    @Test func `Ten thousand movies in chunks come whole`() async throws {
        let (server, client) = try started()
        let peer = try await server.greetedPeer()
        let observation = client.movies.observe { _ in }
        let subscription = try await peer.request("subscribe")
        peer.begin(
            subscription, cursor: "\(epoch):0",
            snapshot: changeJSON("reset", at: 0, ids: 0..<500, total: 10_000), more: true)
        for start in stride(from: 500, to: 10_000, by: 500) {
            peer.push(
                subscription.name, prev: "\(epoch):0", cursor: "\(epoch):7",
                changeJSON("append", at: start, ids: start..<start + 500, total: 10_000),
                more: start < 9_500)
        }
        let list = await client.movies.first { $0.movies.count == 10_000 }
        #expect(list?.movies.map(\.id) == Array(0..<10_000))
        observation.cancel()
    }

    private func started() throws -> (FakeServer, UsherClient) {
        let server = try FakeServer()
        return (server, UsherClient(socket: server.path, options: .quick))
    }
}
