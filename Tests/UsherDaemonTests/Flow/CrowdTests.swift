// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized) struct `In a crowd` {
    @Test func `one that pipelines a hundred thousand lines leaves turns to another`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let (greedy, modest) = (try daemon.connect(), try daemon.connect())
        let count = 100_000
        let line = Array("{\"id\":1,\"method\":\"ping\"}\n".utf8)
        let reader = ReplyCounter(of: greedy.descriptor, until: count)
        let writer = Thread { [descriptor = greedy.descriptor] in
            let block = (0..<1_000).flatMap { _ in line }
            for _ in 0..<(count / 1_000) { sendAll(block, to: descriptor) }
        }
        writer.start()
        // How far the greedy one had come at each of the modest one's answers.
        var started: [Int] = []
        while started.last ?? 0 < count {
            let requests = try modest.statistics("requests")["started"].integer ?? 0
            started.append(requests - started.count - 1)
        }
        reader.wait()
        #expect(started.count { (1..<count).contains($0) } >= 20)
        withExtendedLifetime(greedy) {}
    }

    @Test func `a thousand that send and close without reading are harmless`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let observer = try daemon.connect()
        _ = try observer.ask("fetch")
        let before = try (daemon.residentBytes, daemon.descriptors)
        for _ in 0..<1_000 {
            let client = try daemon.connect()
            try client.send("watch user", largeRequest, "movies", "{\"id\":1,")
            client.close()
        }
        #expect(try eventually { try observer.clients().count == 1 })
        #expect(try observer.statistics("clients")["accepted"].integer == 1_001)
        #expect(try observer.statistics("clients")["subscriptions"].integer == 0)
        #expect(try daemon.descriptors == before.1)
        #expect(try daemon.hasGrown(from: before.0, byLessThan: 16 << 20))
        #expect(!daemon.log.text.contains("connection lost"))
        #expect(daemon.terminate() == 0)
    }

    @Test func `half of a hundred subscribers may vanish in a burst, the rest get it all`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        var subscribers = try (0..<100).map { _ in try daemon.connect() }
        for subscriber in subscribers { _ = try subscriber.ask("subscribe topic=user mode=all") }
        let count = 200
        for index in 0..<count {
            try writer.send(
                #"{"id":\#(index),"method":"user.rename","params":{"name":"n\#(index)"}}"#)
            // Every other one closes, half-closes and goes, or goes with much unread.
            guard index.isMultiple(of: 4), subscribers.count > 50 else { continue }
            let leaver = subscribers.remove(at: index % subscribers.count)
            if index.isMultiple(of: 8) { leaver.finishSending() }
            leaver.close()
        }
        #expect(subscribers.count == 50)
        for index in 0..<count { #expect(try writer.json()["id"].integer == index) }
        for subscriber in subscribers {
            for index in 0..<count {
                let push = try subscriber.json()
                #expect(push["params", "data", "user", "name"].string == "n\(index)")
            }
            #expect(try subscriber.ask(#"{"id":"p","method":"ping"}"#)["id"].string == "p")
        }
        #expect(try eventually { try writer.clients().count == 51 })
        #expect(daemon.terminate() == 0)
    }

    @Test func `subscriptions come and go in any order, and each gets what is its own`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        let clients = try (0..<8).map { _ in try daemon.connect() }
        var names = clients.map { _ in Set<String>() }
        var random = SystemRandomNumberGenerator()
        for round in 0..<40 {
            for index in clients.indices {
                for _ in 0..<4 {
                    let name = "s\(Int.random(in: 0..<20, using: &random))"
                    if names[index].remove(name) != nil {
                        #expect(try clients[index].ask("unwatch \(name)")["result"] != .null)
                    } else {
                        names[index].insert(name)
                        let start = try clients[index].ask("subscribe topic=user as=\(name)")
                        #expect(start["result", "as"].string == name)
                    }
                }
            }
            _ = try writer.ask("rename r\(round)")
            for index in clients.indices {
                var told: [String] = []
                for _ in names[index] {
                    told.append(try clients[index].json()["params", "as"].string ?? "")
                }
                #expect(Set(told) == names[index])
                #expect(try clients[index].ask("ping")["result"] != .null)
            }
        }
        let total = names.reduce(0) { $0 + $1.count }
        #expect(try writer.statistics("clients")["subscriptions"].integer == total)
    }

    @Test func `a subscription may come and go for ever, and costs nothing`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let client = try daemon.connect()
        let pair = Array(
            (#"{"id":1,"method":"subscribe","params":{"topic":"user"}}"# + "\n"
                + #"{"id":2,"method":"unsubscribe","params":{"as":"user"}}"# + "\n").utf8)
        let block = (0..<100).flatMap { _ in pair }
        func cycle(_ count: Int) throws {
            for _ in 0..<(count / 100) {
                try client.send(bytes: block)
                for _ in 0..<100 {
                    #expect(try client.json()["result", "as"].string == "user")
                    #expect(try client.json()["result"] == .object([:]))
                }
            }
        }
        try cycle(2_000)
        let before = try daemon.residentBytes
        try cycle(10_000)
        #expect(try daemon.hasGrown(from: before, byLessThan: 1 << 20))
        #expect(try client.statistics("clients")["subscriptions"].integer == 0)
    }
}

/// Counts lines that come on a descriptor, and drops them.
private final class ReplyCounter: Sendable {
    private let done = Mutex(false)

    init(of descriptor: Int32, until count: Int) {
        let thread = Thread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var lines = 0
            while lines < count {
                let size = unsafe recv(descriptor, &buffer, buffer.count, 0)
                guard size > 0 else { break }
                lines += buffer[..<size].count { $0 == 0x0A }
            }
            done.withLock { $0 = true }
        }
        thread.start()
    }

    func wait() {
        #expect(eventually { done.withLock { $0 } })
    }
}

private func sendAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes {
            unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
