// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

/// Changes made as fast as the daemon takes them, by a thread of its own.
private final class Storm: Sendable {
    private let isDone = Atomic(false)
    private let done = DispatchSemaphore(value: 0)

    /// Renames to n0, n1, … n(count - 1), and changes of the list between them.
    init(on path: String, count: Int) {
        let thread = Thread { [self] in
            defer { done.signal() }
            defer { isDone.store(true, ordering: .relaxed) }
            guard let client = try? LineClient(path: path) else { return }
            for index in 0..<count {
                var lines = #"{"method":"user.rename","params":{"name":"n\#(index)"}}"# + "\n"
                switch index % 100 {
                case 0: lines += #"{"method":"movies.refresh"}"# + "\n"
                case 20, 40, 60, 80: lines += #"{"method":"movies.fetch"}"# + "\n"
                default: break
                }
                guard (try? client.send(bytes: lines.utf8)) != nil else { return }
            }
            _ = try? client.ask("ping")
        }
        thread.start()
    }

    var isOver: Bool { isDone.load(ordering: .relaxed) }

    func wait() { done.wait() }
}

/// The number in a name of the storm.
private func number(_ name: String) -> Int? { name.hasPrefix("n") ? Int(name.dropFirst()) : nil }

@Suite(.timeLimit(.minutes(5))) struct `A storm of changes` {
    @Test func `leaves every subscriber that joined, stayed or left with the final state`() throws {
        let daemon = try RunningDaemon(store: "memory")
        _ = try daemon.connect().ask("fetch")
        let made = 10_000
        let storm = Storm(on: daemon.socketPath, count: made)
        var replicas: [Replica] = []
        var joined = 0
        while joined < 50 || !storm.isOver {
            joined += 1
            let replica = Replica(
                joined % 3 == 2 ? "movies" : "user", mode: joined % 2 == 0 ? "all" : "latest",
                on: try daemon.connect())
            #expect(try replica.subscribe() == "no_cursor")
            replicas.append(replica)
            // Some read, some lag behind, some go.
            try replicas.randomElement()?.catchUp()
            if replicas.count == 50 { replicas.remove(at: Int.random(in: 0..<50)).client.close() }
        }
        storm.wait()
        let reader = try daemon.connect()
        let user = try reader.ask("user")["result"]
        #expect(user["state", "user", "name"].string == "n\(made - 1)")
        for replica in replicas { try replica.catchUp() }
        let list = try reader.wholeList()
        for replica in replicas {
            if replica.topic == "user" {
                #expect(replica.state == user["state"])
                #expect(replica.cursor == user["cursor"].string)
                // Mode all has every name from its first on, unless it was told of a gap.
                let names = replica.names.compactMap(number)
                if replica.mode == "all", replica.gaps == 0, let first = names.first {
                    #expect(names == Array(first..<made))
                    #expect(replica.skipped == 0)
                }
                // Mode latest says how many it left out since the snapshot, which may be of before the storm.
                if replica.mode == "latest", let first = replica.names.first {
                    #expect(replica.gaps == 0)
                    #expect(replica.names.count + replica.skipped == made - (number(first) ?? -1))
                }
            } else {
                #expect(replica.movies == list.movies)
                #expect(replica.status == list.status)
                #expect(replica.cursor == list.cursor)
            }
        }
    }

    @Test func `lets subscribers that were cut off go on with nothing missed or doubled`() throws {
        let daemon = try RunningDaemon(store: "memory")
        _ = try daemon.connect().ask("fetch")
        let made = 5_000
        let storm = Storm(on: daemon.socketPath, count: made)
        let replicas = try (0..<12).map { index in
            Replica(
                index % 3 == 2 ? "movies" : "user", mode: index % 2 == 0 ? "all" : "latest",
                on: try daemon.connect())
        }
        var recoveries = 0
        while !storm.isOver || recoveries == 0 {
            for replica in replicas {
                replica.client.close()
                let reason = try replica.subscribe(on: daemon.connect())
                switch reason {
                case nil: recoveries += 1
                case "no_cursor": #expect(replica.pushes == 0)
                case "list_reset": #expect(replica.topic == "movies")
                case "too_old": #expect(replica.topic == "user")
                default: Issue.record("a snapshot because of \(reason ?? "nothing")")
                }
                // Some lines, if that many come, and then it is cut off.
                for _ in 0..<Int.random(in: 0..<30) where replica.client.isReadable {
                    try replica.takeLine()
                }
            }
        }
        storm.wait()
        for replica in replicas {
            try replica.catchUp()
            let names = replica.names.compactMap(number)
            guard replica.topic == "user", let first = names.first else { continue }
            #expect(names.last == made - 1)
            if replica.mode == "all", replica.gaps == 0 { #expect(names == Array(first..<made)) }
            #expect(names == names.sorted() && Set(names).count == names.count)
        }
        #expect(recoveries > 0)
    }

    @Test func `goes on over kill -9 for those who have a cursor`() throws {
        let daemon = try RunningDaemon()
        _ = try daemon.connect().ask("fetch")
        _ = try daemon.connect().ask("rename n0")
        let replicas = try (0..<8).map { index in
            Replica(
                index % 4 == 3 ? "movies" : "user", mode: index % 2 == 0 ? "all" : "latest",
                on: try daemon.connect())
        }
        for replica in replicas { try replica.subscribe() }
        var next = 1
        for round in 0..<6 {
            let writer = try daemon.connect()
            for index in 0..<60 {
                try writer.send(
                    #"{"id":\#(index),"method":"user.rename","params":{"name":"n\#(next)"}}"#)
                next += 1
            }
            try writer.send(#"{"method":"movies.fetch"}"#)
            // The daemon dies while some are kept, some are on their way, and some were told of.
            for _ in 0..<(round * 10) { _ = try writer.line() }
            for replica in replicas where round % 2 == 0 {
                for _ in 0..<round where replica.topic == "user" { try replica.takeLine() }
            }
            daemon.kill()
            for replica in replicas {
                // What had arrived before the end counts.
                try replica.takeRest()
            }
            try daemon.restart()
            let kept = try daemon.connect().ask("user")["result", "state", "user", "name"].string
            next = try #require(kept.flatMap(number)) + 1
            for replica in replicas {
                #expect(try replica.subscribe(on: daemon.connect()) == nil, "\(replica.topic)")
                try replica.catchUp()
            }
        }
        let reader = try daemon.connect()
        let list = try reader.wholeList()
        for replica in replicas {
            if replica.topic == "movies" {
                #expect(replica.movies == list.movies)
                #expect(replica.status == list.status)
            } else {
                let names = replica.names.compactMap(number)
                #expect(replica.gaps == 0)
                #expect(Set(names).count == names.count)
                if replica.mode == "all" { #expect(names == Array(0..<next)) }
                #expect(names.last == next - 1)
            }
        }
    }
}
