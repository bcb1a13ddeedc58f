// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Places` {
    @Test func `that are all taken are told of by one line, and free again after a close`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["clients": 2]), store: "memory")
        // The daemon's own user has one place more than the others.
        var clients = try (0..<3).map { _ in try daemon.connect() }
        for client in clients { #expect(try client.ask("ping")["result"] != .null) }
        let refused = try daemon.connect()
        let line = try refused.json()
        #expect(line["id"] == .null)
        #expect(line["error", "code"].integer == -32020)
        #expect(line.reason == "too_many_clients")
        #expect(line["error", "data", "retryable"].boolean == true)
        // It may still have been sending: that does not reset the connection and lose the line.
        try refused.send("ping")
        #expect(try refused.line() == nil)
        #expect(try clients[0].statistics("clients")["refused"].integer == 1)
        clients.removeLast().close()
        #expect(try eventually { try daemon.connect().ask("ping")["result"] != .null })
    }

    @Test func `suffice for three hundred clients at once`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let clients = try (0..<300).map { _ in try daemon.connect() }
        for client in clients { try client.send("ping", "watch user") }
        for client in clients {
            #expect(try client.json()["id"].integer == 1)
            #expect(try client.json()["result", "topic"].string == "user/0")
        }
        #expect(try clients[0].statistics("clients")["connected"].integer == 300)
        #expect(try clients[0].statistics("clients")["subscriptions"].integer == 300)
    }

    @Test func `that were refused leave nothing behind, and do not delay the end`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["clients": 1]), store: "memory")
        let clients = try (0..<2).map { _ in try daemon.connect() }
        for client in clients { _ = try client.ask("ping") }
        let before = try daemon.descriptors.count
        // They stay open here and read nothing.
        let refused = try (0..<200).map { _ in try daemon.connect() }
        #expect(
            try eventually { try clients[0].statistics("clients")["refused"].integer == 200 })
        #expect(try daemon.descriptors.count <= before + 16)
        for client in refused { #expect(try client.json().reason == "too_many_clients") }
        #expect(daemon.terminate() == 0)
    }

    @Test func `are as many as there are descriptors for`() throws {
        let daemon = try RunningDaemon(through: ["/usr/bin/prlimit", "--nofile=64"])
        let old = try daemon.connect()
        let hello = try old.hello(as: "old")
        let places = try #require(hello["limits", "clients"].integer)
        // How many depends on what the tests' process leaves open; the daemon keeps 40 for itself.
        #expect((1...24).contains(places))
        let more = try (0..<200).map { _ in try daemon.connect() }
        var served = 0
        for client in more {
            try? client.send("ping")
            let answer = try client.json()
            if answer["result"] == .null {
                #expect(answer.reason == "too_many_clients")
            } else {
                served += 1
            }
        }
        #expect(served == places)
        // What needs descriptors of its own still works.
        #expect(try old.ask("fetch")["result"] != .null)
        #expect(try old.ask("rename Ada")["result"] != .null)
        #expect(try old.statistics("clients")["refused_without_descriptor"].integer == 0)
        for client in more { client.close() }
        #expect(try eventually { try old.clients().count == 1 })
        #expect(try daemon.connect().ask("ping")["result"] != .null)
    }

    @Test func `are not bounded by a soft limit that can be raised`() throws {
        let daemon = try RunningDaemon(through: ["/usr/bin/prlimit", "--nofile=32:1024"])
        let places = try daemon.connect().hello(as: "x")["limits", "clients"].integer
        #expect((900..<1_024).contains(places ?? 0))
    }

    @Test func `may lack descriptors after all: nothing spins, and all is well again later`() throws
    {
        let daemon = try RunningDaemon(store: "memory")
        let old = try daemon.connect()
        _ = try old.ask("ping")
        let last = try #require(try daemon.descriptors.max())
        try RunningDaemon.run(
            "/usr/bin/prlimit", "--pid=\(daemon.pid)", "--nofile=\(last + 1):")
        // Those that find a number that is free below the limit are served, and go on being served.
        var served: [LineClient] = []
        var refused = 0
        while refused < 10, served.count < last {
            let client = try daemon.connect()
            try? client.send("ping")
            // Closed with the ping unread, a connection may be reset.
            if let line = try? client.line() {
                #expect(try JSON(parsing: line)["result"] != .null)
                served.append(client)
            } else {
                refused += 1
            }
        }
        #expect(refused == 10)
        #expect(
            try old.statistics("clients")["refused_without_descriptor"].integer == refused)
        let before = try daemon.sleeps
        usleep(200_000)
        #expect(try daemon.sleeps - before <= 10)
        #expect(try old.ask("ping")["result"] != .null)
        try RunningDaemon.run("/usr/bin/prlimit", "--pid=\(daemon.pid)", "--nofile=512:")
        #expect(try daemon.connect().ask("ping")["result"] != .null)
    }
}

@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: OtherPeer.User.canBeAnyone, "other users can only be tried as root"))
struct `Places of other users` {
    @Test func `leave one for root, who can look what is wrong`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["clients": 2]), store: "memory")
        try daemon.letAnyoneIn()
        let others = try OtherPeer(
            daemon.socketPath, as: stranger,
            [.connect, .ask("ping"), .connect, .ask("ping"), .connect, .ask("ping")])
        let answers = try others.received(3)
        #expect(answers[0]["result"] != .null && answers[1]["result"] != .null)
        #expect(answers[2].reason == "too_many_clients")
        let root = try daemon.connect()
        #expect(try root.clients().map { $0["uid"].integer } == [54_321, 54_321, 0])
        #expect(try daemon.connect().json().reason == "too_many_clients")
    }

    @Test func `are counted for each of them`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + RunningDaemon.limits(["clients_per_uid": 2]), store: "memory")
        try daemon.letAnyoneIn()
        let greedy = try OtherPeer(
            daemon.socketPath, as: stranger,
            [.connect, .ask("ping"), .connect, .ask("ping"), .connect, .ask("ping")])
        let answers = try greedy.received(3)
        #expect(answers[1]["result"] != .null)
        #expect(answers[2].reason == "too_many_clients")
        #expect(answers[2]["error", "message"].string?.contains("54321") == true)
        let modest = try OtherPeer(
            daemon.socketPath, as: .init(54_400), [.connect, .ask("ping")])
        #expect(try modest.received(1)[0]["result"] != .null)
        let own = try (0..<5).map { _ in try daemon.connect() }
        for client in own { #expect(try client.ask("ping")["result"] != .null) }
        // A place comes back with its connection.
        greedy.process.kill()
        #expect(
            try eventually {
                try own[0].clients().allSatisfy { $0["uid"].integer != 54_321 }
            })
        let again = try OtherPeer(daemon.socketPath, as: stranger, [.connect, .ask("ping")])
        #expect(try again.received(1)[0]["result"] != .null)
    }
}
