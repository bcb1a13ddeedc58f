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
    private let floor: FloorServer
    private let load: Load
    private let floorLoad: Load

    init() throws {
        daemon = try RunningDaemon(
            RunningDaemon.demo + ["--limit", "clients_per_uid=4000"], store: "memory",
            through: Core.first.wrapper)
        floor = try FloorServer()
        load = try Load(to: daemon.socketPath)
        floorLoad = try Load(to: floor.path)
        _ = try daemon.connect().ask("fetch")
        Core.second.take()
    }

    func run(into table: inout Table) throws {
        for (connections, inFlight, target) in [
            (1, 1, 1.25), (50, 1, 1.5), (1, 32, 1.5), (50, 32, 4),
        ] {
            try table.add(
                "a request, \(connections) connections, \(inFlight) in flight", "us",
                .times(target),
                times: Self.rounds
            ) {
                try request(floorLoad, "ping", connections, inFlight)
            } here: {
                try request(
                    load, #"{"jsonrpc":"2.0","id":1,"method":"user.get"}"#, connections, inFlight)
            }
        }
        try table.add(
            "any other request, 1 connection, 32 in flight", "us", nil, times: Self.rounds
        ) {
            try request(floorLoad, "ping", 1, 32)
        } here: {
            try request(load, #"{"id":1,"method":"user.get","params":{"user":0}}"#, 1, 32)
        }
        for (subscribers, burst, target) in [
            (1, 1, 1.5), (100, 1, 1.5), (1_000, 1, 1.5), (100, 10, 3), (1_000, 10, 3),
        ] {
            try table.add(
                "a push to \(subscribers), \(burst) at a time", "us", .times(target),
                times: Self.rounds
            ) {
                try push(floorLoad, to: subscribers, burst, Self.floorTopic).nanosecondsEach / 1_000
            } here: {
                try push(load, to: subscribers, burst, Self.topic).nanosecondsEach / 1_000
            }
        }
        try table.add(
            "a push to 100, all have it, p99: alone, beside one that stalls", "us", .times(2),
            times: Self.rounds
        ) {
            try push(load, to: 100, 1, Self.topic).rounds.percentile(99) / 1_000
        } here: {
            try push(load, to: 100, aside: 1, 1, Self.topic).rounds.percentile(99) / 1_000
        }
        load.close()
        floorLoad.close()
    }

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
            count: max(20, min(2_000, Self.deliveries / subscribers)) * burst, change: topic.change)
    }

    private static let name = String(repeating: "x", count: 60)
}
