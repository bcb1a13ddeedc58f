// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Requests and pushes of the real daemon, without a store, in turns with the bare libuv server.
///
/// The servers run on the first core and this process on the second, as far as there are two.
struct TrafficBenchmark {
    /// How often each figure is taken; the median counts.
    private static let rounds = 5
    private static let requests = 100_000
    private static let deliveries = 100_000

    private let daemon: RunningDaemon
    /// One that does not look for the next request before it sleeps, as the bare server does not.
    private let sleeper: RunningDaemon
    private let floor: FloorServer
    private let load: Load
    private let sleeperLoad: Load
    private let floorLoad: Load

    init() throws {
        daemon = try Self.start()
        sleeper = try Self.start("--busy-poll", "0")
        floor = try FloorServer()
        load = try Load(to: daemon.socketPath)
        sleeperLoad = try Load(to: sleeper.socketPath)
        floorLoad = try Load(to: floor.path)
        Core.second.take()
    }

    private static func start(_ options: String...) throws -> RunningDaemon {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + ["--limit", "clients_per_uid=4000"] + options, store: "memory",
            through: Core.first.wrapper)
        _ = try daemon.connect().ask("fetch")
        return daemon
    }

    func run(into table: inout Table) throws {
        for (connections, inFlight, target) in [
            (1, 1, 1.25), (50, 1, 1.5), (1, 32, 1.5), (50, 32, 4),
        ] {
            try addRequests(
                "a request, \(connections) connections, \(inFlight) in flight", Self.read, by: load,
                connections, inFlight, .times(target), to: &table)
        }
        try addRequests(
            "any other request, 1 connection, 32 in flight",
            #"{"id":1,"method":"user.get","params":{"user":0}}"#, by: load, 1, 32, nil, to: &table)
        for (subscribers, burst, target) in [
            (1, 1, 1.5), (100, 1, 1.5), (1_000, 1, 1.5), (100, 10, 3), (1_000, 10, 3),
        ] {
            try addPushes(
                "a push to \(subscribers), \(burst) at a time", by: load, to: subscribers, burst,
                .times(target), in: &table)
        }
        try table.add(
            "a push to 100, all have it, p99: alone, beside one that stalls", "us", .times(2),
            times: Self.rounds
        ) {
            try push(load, to: 100, 1, Self.topic).rounds.percentile(99) / 1_000
        } here: {
            try push(load, to: 100, aside: 1, 1, Self.topic).rounds.percentile(99) / 1_000
        }
        try addSleeping(to: &table)
        load.close()
        sleeperLoad.close()
        floorLoad.close()
    }

    /// What busy polling brings, and what it costs: without it, and the processor time with and without.
    private func addSleeping(to table: inout Table) throws {
        try addRequests(
            "a request, 1 connection, 1 in flight, without busy polling", Self.read,
            by: sleeperLoad, 1, 1, .times(1.25), to: &table)
        try addPushes(
            "a push to 1, 1 at a time, without busy polling", by: sleeperLoad, to: 1, 1,
            .times(1.5), in: &table)
        try table.add(
            "processor time of a request alone; floor: without busy polling", "us", .times(1.5),
            times: Self.rounds
        ) {
            try sleeper.processorMicroseconds(each: Self.requests / 4) {
                _ = try request(sleeperLoad, Self.read, 1, 1)
            }
        } here: {
            try daemon.processorMicroseconds(each: Self.requests / 4) {
                _ = try request(load, Self.read, 1, 1)
            }
        }
        for subscribers in [1, 100] {
            let deliveries = Self.changes(to: subscribers) * subscribers
            try table.add(
                "processor time of a push to \(subscribers); floor: without busy polling", "us",
                .times(1.5), times: Self.rounds
            ) {
                try sleeper.processorMicroseconds(each: deliveries) {
                    _ = try push(sleeperLoad, to: subscribers, 1, Self.topic)
                }
            } here: {
                try daemon.processorMicroseconds(each: deliveries) {
                    _ = try push(load, to: subscribers, 1, Self.topic)
                }
            }
        }
    }

    private func addRequests(
        _ name: String, _ line: String, by load: Load, _ connections: Int, _ inFlight: Int,
        _ target: Table.Target?, to table: inout Table
    ) throws {
        try table.add(name, "us", target, times: Self.rounds) {
            try request(floorLoad, "ping", connections, inFlight)
        } here: {
            try request(load, line, connections, inFlight)
        }
    }

    private func addPushes(
        _ name: String, by load: Load, to subscribers: Int, _ burst: Int, _ target: Table.Target,
        in table: inout Table
    ) throws {
        try table.add(name, "us", target, times: Self.rounds) {
            try push(floorLoad, to: subscribers, burst, Self.floorTopic).nanosecondsEach / 1_000
        } here: {
            try push(load, to: subscribers, burst, Self.topic).nanosecondsEach / 1_000
        }
    }

    private static let read = #"{"jsonrpc":"2.0","id":1,"method":"user.get"}"#

    private func request(
        _ load: Load, _ line: String, _ connections: Int, _ inFlight: Int
    ) throws -> Double {
        try load.requests(
            line, connections: connections, inFlight: inFlight,
            count: inFlight > 1 ? Self.requests * 2 : Self.requests / 4
        ).nanosecondsEach / 1_000
    }

    /// How a server is subscribed to, and what changes something for all who did.
    private struct Topic: Sendable {
        let subscription: String
        let change: @Sendable (Int) -> String
    }

    /// Lines about as long as those that the daemon gets and gives.
    private static let topic = Topic(
        subscription:
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"topic":"user","mode":"all"}}"#
    ) { number in
        #"{"jsonrpc":"2.0","id":2,"method":"user.rename","params":{"name":"\#(name)\#(number)"}}"#
    }

    private static let floorTopic = Topic(subscription: "S") { number in
        "P" + String(repeating: "x", count: 200) + "\(number)"
    }

    private func push(
        _ load: Load, to subscribers: Int, aside: Int = 0, _ burst: Int, _ topic: Topic
    ) throws -> Load.Result {
        try load.pushes(
            topic.subscription, to: subscribers, aside: aside, burst: burst,
            count: Self.changes(to: subscribers) * burst, change: topic.change)
    }

    /// How often something is changed for so many.
    private static func changes(to subscribers: Int) -> Int {
        max(20, min(2_000, deliveries / subscribers))
    }

    private static let name = String(repeating: "x", count: 60)
}

extension RunningDaemon {
    /// The processor time that each of so many operations took the daemon.
    fileprivate func processorMicroseconds(
        each count: Int, _ body: () throws -> Void
    ) throws -> Double {
        let before = try processorMilliseconds
        try body()
        return Double(try processorMilliseconds - before) * 1_000 / Double(count)
    }
}
