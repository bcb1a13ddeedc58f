// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UsherClient

/// Connections that end at any byte of a request or of its answer: what was asked for is done once.
@Suite(.timeLimit(.minutes(5)))
struct CutTests {
    private static var options: UsherClient.Options {
        var options = UsherClient.Options()
        options.reconnectBase = .milliseconds(1)
        options.reconnectCap = .milliseconds(2)
        return options
    }

    @Test func `A rename cut at any byte is carried out once`() async throws {
        let daemon = try RunningDaemon()
        let proxy = try CuttingProxy(to: daemon, cutting: "user.rename")
        let client = UsherClient(socket: proxy.path, options: Self.options)
        try await client.fetchUser()
        // To learn how long the lines are; the names that follow are as long.
        try await client.renameUser(to: "n0000")
        let lengths = proxy.lengths
        try #require(lengths.request > 100 && lengths.answer > 100)
        let observer = try daemon.connect()
        _ = try observer.ask(
            #"{"id":1,"method":"subscribe","params":{"topic":"user","mode":"all"}}"#)
        // Ids and revisions grow, and with them the lines: a few bytes more are tried than the first ones had.
        let cuts =
            (0...lengths.request + 3).map { CuttingProxy.Cut.request(after: $0) }
            + (0...lengths.answer + 6).map { CuttingProxy.Cut.answer(after: $0) }
        for (index, cut) in cuts.enumerated() {
            let name = "n" + String(10_001 + index).dropFirst()
            proxy.cutNext(cut)
            let user = try await client.renameUser(to: name)
            #expect(user.name == name)
            #expect(try observer.json()["params", "data", "user", "name"].string == name)
        }
        #expect(proxy.cuts == cuts.count)
        let last = try observer.ask(#"{"id":2,"method":"sync"}"#)
        #expect(last["id"].integer == 2, "nothing was done twice")
    }

    @Test func `A page cut at many places of request and answer is appended once`() async throws {
        let daemon = try RunningDaemon()
        let proxy = try CuttingProxy(to: daemon, cutting: "movies.fetch")
        let client = UsherClient(socket: proxy.path, options: Self.options)
        var total = 0
        var page = 0
        for count in 0..<200 {
            proxy.cutNext(count % 2 == 0 ? .request(after: count) : .answer(after: count * 50))
            let fetched = try await client.fetchMoreMovies()
            page += 1
            #expect(fetched.offset == total && fetched.status.page == page)
            total += fetched.movies.count
            #expect(fetched.status.total == total)
            guard fetched.status.complete else { continue }
            // There is no more: from page 1 again, which a fetch of that page waits for.
            try await client.refreshMovies()
            total = try await client.fetchMovies(page: 1).status.total
            page = 1
        }
    }
}
