// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing
import UsherClient
import UsherStreams

@Suite(.serialized, .timeLimit(.minutes(10))) struct `A restart` {
    @Test func `with two hundred clients refuses no connection and loses no acknowledged change`()
        throws
    {
        let daemon = try ActivatedDaemon(RunningDaemon.demo)
        let history = History()
        let writers = (0..<200).map { Writer($0, history) }
        #expect(daemon.waitForStart(1))
        let restarts = Faults.number(3, all: 30)
        for round in 0..<restarts {
            for (index, writer) in writers.enumerated() {
                // While there is no daemon the socket's queue takes them, and nobody is refused.
                try writer.connect(LineClient(path: daemon.socketPath, keeping: daemon))
                try writer.fetch(index % 8)
                try writer.rename(index % 8)
            }
            try writers[round].catchUp()
            try daemon.terminate()
            #expect(daemon.waitForStart(round + 2))
            // Each is answered, or hears that the daemon stops, or was not accepted yet and is answered by the next.
            for writer in writers { _ = try? writer.catchUp() }
            try history.audit { try LineClient(path: daemon.socketPath, keeping: daemon) }
            try #require(history.faults == [], "round \(round)")
        }
        print("\(restarts) restarts with 200 clients, \(history.acknowledged) changes acknowledged")
        #expect(daemon.statuses == Array(repeating: 0, count: restarts))
        #expect(history.acknowledged >= restarts)
    }

    @Test
    func `with an older copy of the store begins a new epoch, which the client library follows`()
        async throws
    {
        let daemon = try RunningDaemon()
        var writer = try daemon.connect()
        _ = try writer.ask("fetch")
        _ = try writer.ask("more")
        _ = try writer.ask("rename old")
        let epoch = try #require(try writer.ask("user")["result", "cursor"].string?.prefix(16))
        #expect(daemon.terminate() == 0)
        let copy = try daemon.storeFiles()
        try daemon.restart()
        let client = UsherClient(socket: daemon.socketPath, options: .quick)
        writer = try daemon.connect()
        for name in ["newer", "newest"] {
            async let seen = client.user.first { $0.user?.name == name }
            _ = try writer.ask("rename \(name)")
            #expect(await seen != nil)
        }
        _ = try writer.ask("more")
        #expect(await client.movies.first { $0.movies.count == 40 } != nil)
        daemon.kill()
        try daemon.restoreStore(copy)
        async let user = client.user.first { $0.user?.name == "old" }
        async let list = client.movies.first { $0.movies.count == 20 }
        try daemon.restart()
        #expect(await user != nil)
        #expect(await list != nil)
        let now = try daemon.connect().ask("user")["result", "cursor"].string?.prefix(16)
        #expect(now != epoch)
        client.close()
    }

    @Test func `asked to end while it starts ends, and starts well the next time`() throws {
        let daemon = try RunningDaemon()
        let workload = Workload()
        try workload.connect(to: daemon)
        try workload.round()
        var random = SplitMix(seed: 26)
        var statuses: [Int32: Int] = [:]
        for _ in 0..<Faults.number(30, all: 300) {
            try daemon.begin()
            usleep(UInt32.random(in: 0..<60_000, using: &random))
            daemon.signal(SIGTERM)
            statuses[daemon.waitForExit(), default: 0] += 1
            try workload.takeRest()
        }
        print("ended by SIGTERM within 60 ms of their start, by status: \(statuses)")
        // Before it can be told, it ends as any program does.
        #expect(Set(statuses.keys).isSubset(of: [0, -SIGTERM]))
        #expect(try daemon.damage() == nil)
        try daemon.restart()
        try workload.history.audit(daemon)
        #expect(workload.history.faults == [])
    }

    @Test func `after memory has run out finds all that was acknowledged`() throws {
        let daemon = try RunningDaemon()
        let workload = Workload()
        var ends: [Int32: Int] = [:]
        for megabytes in stride(from: 20, to: 400, by: Faults.number(40, all: 5)) {
            let serves = try daemon.restart(
                through: ["/usr/bin/prlimit", "--as=\(megabytes << 20)", "--core=0"])
            if serves {
                do {
                    try workload.connect(to: daemon)
                    for _ in 0..<3 { try workload.round() }
                } catch {
                    // It ended; what follows says whether in order.
                }
            }
            daemon.signal(SIGTERM)
            ends[daemon.waitForExit(), default: 0] += 1
            try workload.takeRest()
            #expect(try daemon.damage() == nil)
            try daemon.restart()
            try workload.history.audit(daemon)
            try #require(workload.history.faults == [], "\(megabytes) MiB")
        }
        print("ends with little memory, by status: \(ends)")
        #expect(ends.count > 1)
    }
}

extension UsherClient.Options {
    /// Pauses that a test does not notice.
    static var quick: UsherClient.Options {
        var options = UsherClient.Options()
        options.reconnectBase = .milliseconds(1)
        options.reconnectCap = .milliseconds(5)
        return options
    }
}
