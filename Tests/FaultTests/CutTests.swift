// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UsherClient

/// Connections that are cut after each byte of what goes one way: a change is made whole or not at all, and no answer
/// comes to another connection.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `A connection that is cut` {
    private let daemon: RunningDaemon
    private let proxy: ByteLimitProxy

    init() throws {
        daemon = try RunningDaemon(store: "memory")
        proxy = try ByteLimitProxy(at: daemon.folder.path + "/p", to: daemon.socketPath)
    }

    @Test(arguments: [ByteLimitProxy.Direction.request, .reply])
    func `at any byte loses no change that was acknowledged and makes none twice`(
        direction: ByteLimitProxy.Direction
    ) throws {
        let history = History()
        let writer = Writer(0, history)
        try writer.connect(daemon.connect())
        try writer.fetch(0)
        try writer.catchUp()
        var cuts = 0
        var whole = 0
        // Until a connection has everything in spite of its cut, twice.
        while whole < 2 {
            proxy.cut(direction, after: cuts)
            try writer.connect(LineClient(path: proxy.path, keeping: daemon))
            // What is cut off may not be taken any more.
            try? writer.rename(0)
            try? writer.rename(0)
            try? writer.growList()
            if writer.hasUnanswered { try? writer.catchUp() }
            whole += !writer.hasUnanswered ? 1 : 0
            writer.cut()
            // The next connection gets answers to its own requests and nothing else.
            try writer.connect(daemon.connect())
            try writer.rename(0)
            try writer.catchUp()
            try history.audit(daemon)
            try #require(history.faults == [], "\(direction), after \(cuts) bytes")
            cuts += 1
        }
        print(
            "cut after 0 to \(cuts - 1) bytes of \(direction): \(history.acknowledged) changes acknowledged"
        )
        #expect(cuts > 200)
    }

    @Test func `at any byte that it hears leaves the client library with the daemon's state`()
        async throws
    {
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        _ = try writer.ask("more")
        var cuts = 0
        for bytes in stride(from: 0, to: 1_500, by: Faults.number(50, all: 1)) {
            proxy.cut(.reply, after: bytes, once: true)
            let client = UsherClient(socket: proxy.path, options: .quick)
            let name = "after \(bytes)"
            async let user = client.user.first { $0.user?.name == name }
            async let list = client.movies.first { $0.movies.count == 20 }
            _ = try writer.ask("rename \(name)")
            #expect(await user != nil)
            #expect(await list?.movies.map(\.id) == Array(1...20))
            client.close()
            cuts += 1
        }
        print("the client library, cut \(cuts) times")
    }
}
