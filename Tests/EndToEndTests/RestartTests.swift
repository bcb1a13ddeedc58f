// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UsherClient
import UsherStreams

/// A client that outlives its daemons, which end at any moment and go on from their store:
/// `USHER_RESTARTS=1000 swift test --filter RestartTests` for many of them.
@Suite(.timeLimit(.minutes(60)))
struct RestartTests {
    @Test func `A client kept through restarts misses nothing and sees nothing twice`() async throws
    {
        let daemon = try RunningDaemon()
        let client = UsherClient(socket: daemon.socketPath, options: .quick)
        let seen = SeenByClient(client)
        try await client.fetchUser()
        var change = 0
        for round in 0..<LongRuns.restarts {
            var writer = try daemon.connect()
            // Its push may be anywhere when the daemon ends.
            for _ in 0..<3 {
                change += 1
                try writer.rename(to: change)
            }
            // Without a word, or as its administrator ends it: then clients are told when to return.
            if round % 50 == 49 { #expect(daemon.terminate() == 0) } else { daemon.kill() }
            try daemon.restart()
            writer = try daemon.connect()
            change += 1
            try writer.rename(to: change)
            let total = try writer.growList()
            let state = await seen.until(change: change, total: total)
            try #require(state.faults == [], "round \(round)")
            #expect(client.movies.current.movies == state.movies)
            // What was waited for was seen, every time.
            #expect(state.changes.filter { $0 % 4 == 0 }.count == round + 1)
        }
    }
}

extension UsherClient.Options {
    /// Pauses that a test does not notice.
    fileprivate static var quick: UsherClient.Options {
        var options = UsherClient.Options()
        options.reconnectBase = .milliseconds(1)
        options.reconnectCap = .milliseconds(5)
        return options
    }
}

extension LineClient {
    fileprivate func rename(to change: Int) throws {
        let reply = try ask(
            #"{"jsonrpc":"2.0","id":1,"method":"user.rename","params":{"name":"\#(change)"}}"#)
        guard reply["result", "state", "user", "name"].string == "\(change)" else {
            throw TestFailure("not renamed: \(reply)")
        }
    }

    /// Appends a page, or starts over when there is none left.
    ///
    /// - Returns: How many movies there are afterwards.
    fileprivate func growList() throws -> Int {
        var reply = try ask(#"{"jsonrpc":"2.0","id":2,"method":"movies.fetch","params":{}}"#)
        if reply.reason == "end_of_list" {
            _ = try ask(#"{"jsonrpc":"2.0","id":3,"method":"movies.refresh","params":{}}"#)
            reply = try ask(
                #"{"jsonrpc":"2.0","id":4,"method":"movies.fetch","params":{"page":1}}"#)
        }
        guard let total = reply["result", "status", "total"].integer else {
            throw TestFailure("no page: \(reply)")
        }
        return total
    }
}

/// What the streams of a client showed, and whether they kept their promises.
private final class SeenByClient: Sendable {
    struct State: Sendable {
        var changes: [Int] = []
        var movies: [Movie] = []
        var faults: [String] = []
    }

    private let state = StateStream(State())
    private let observations: [Subscription]

    init(_ client: UsherClient) {
        observations = [
            client.user.observe { [state] user in state.update { $0.see(user) } },
            client.pages().observe { [state] page in state.update { $0.see(page) } },
        ]
    }

    /// What was seen, as soon as this change and so many movies were.
    func until(change: Int, total: Int) async -> State {
        for await state in state
        where !state.faults.isEmpty
            || state.changes.last == change && state.movies.count == total
        {
            return state
        }
        return state.value
    }
}

extension SeenByClient.State {
    fileprivate mutating func see(_ user: UserState) {
        guard let change = user.user.flatMap({ Int($0.name) }) else { return }
        if let last = changes.last, change <= last { faults.append("\(change) after \(last)") }
        changes.append(change)
    }

    fileprivate mutating func see(_ page: MoviePage) {
        if page.startsOver { movies = [] }
        if page.offset != movies.count {
            faults.append("a page at \(page.offset) after \(movies.count) movies")
        }
        movies += page.movies
    }
}
