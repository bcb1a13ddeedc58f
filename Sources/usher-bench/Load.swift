// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import UsherEventLoop

/// Traffic to one server, from an event loop in this process.
///
/// Each peer counts the lines it gets and looks no further, so that a measurement costs little beside what it measures.
final class Load {
    /// How long something took: each of the operations on the average, and each round of them.
    struct Result {
        let nanosecondsEach: Double
        /// From the first byte sent to the last one received, in nanoseconds, one a round.
        let rounds: [Double]
    }

    private let loop: EventLoop
    private let path: String

    /// The socket of the server, which listens already.
    init(to path: String) throws {
        self.path = path
        loop = try EventLoop()
    }

    func close() {
        loop.close()
    }

    /// Has `count` requests answered, with so many on their way on each connection.
    func requests(
        _ line: String, connections: Int, inFlight: Int, count: Int
    ) throws -> Result {
        let bytes = Array((line + "\n").utf8)
        var started = min(count, connections * inFlight)
        var answered = 0
        let peers = try (0..<connections).map { _ in try Peer(on: loop, path) }
        let beginning = ContinuousClock.now
        for (index, peer) in peers.enumerated() {
            peer.onLines = { [unowned self, unowned peer] lines in
                answered += lines
                let more = min(lines, count - started)
                started += more
                for _ in 0..<more { peer.connection.output.append(bytes) }
                if answered == count { loop.stop() }
            }
            let share = started / connections + (index < started % connections ? 1 : 0)
            for _ in 0..<share { peer.connection.output.append(bytes) }
        }
        loop.run()
        let time = nanoseconds(since: beginning)
        finish(peers)
        return Result(nanosecondsEach: time / Double(count), rounds: [])
    }

    /// Has changes made and waits after each `burst` of them until every subscriber has heard of all.
    ///
    /// `change` makes the line that makes the change of a number. `aside` also subscribe, and then read nothing.
    func pushes(
        _ subscription: String, to subscribers: Int, aside: Int = 0, burst: Int, count: Int,
        change: @escaping (Int) -> String
    ) throws -> Result {
        let stalled = try (0..<aside).map { _ in try Peer(on: loop, path) }
        for peer in stalled { try peer.ask(subscription) }
        let peers = try (0..<subscribers + 1).map { _ in try Peer(on: loop, path) }
        for peer in peers.dropLast() { try peer.ask(subscription) }
        for peer in stalled { peer.connection.stopReading() }
        let publisher = peers[subscribers]
        var changes = 0
        var awaited = 0
        var rounds: [Double] = []
        var roundBegan = ContinuousClock.now
        let startRound = {
            roundBegan = .now
            for number in changes..<min(changes + burst, count) {
                publisher.connection.output.append(change(number) + "\n")
            }
            awaited = min(burst, count - changes) * (subscribers + 1)
            changes += burst
        }
        for peer in peers {
            peer.onLines = { [unowned self] lines in
                awaited -= lines
                guard awaited == 0 else { return }
                rounds.append(nanoseconds(since: roundBegan))
                if changes < count { startRound() } else { loop.stop() }
            }
        }
        let beginning = ContinuousClock.now
        startRound()
        loop.run()
        let time = nanoseconds(since: beginning)
        finish(peers + stalled)
        return Result(
            nanosecondsEach: time / Double(count * max(1, subscribers)), rounds: rounds)
    }

    /// Subscribes so many peers, lends them to `body`, and lets them go.
    func subscribed(_ subscription: String, by count: Int, _ body: () throws -> Void) throws {
        let peers = try (0..<count).map { _ in try Peer(on: loop, path) }
        for peer in peers { try peer.ask(subscription) }
        try body()
        finish(peers)
    }

    private func finish(_ peers: [Peer]) {
        var open = peers.count
        for peer in peers {
            peer.connection.onClose = { [unowned self] _ in
                open -= 1
                if open == 0 { loop.stop() }
            }
            peer.connection.close()
        }
        loop.run()
    }
}

/// One connection to the server.
private final class Peer {
    let connection: Connection
    /// Called with how many lines a read brought.
    var onLines: ((Int) -> Void)?
    private let loop: EventLoop

    init(on loop: EventLoop, _ path: String) throws {
        self.loop = loop
        connection = try Connection(on: loop, adopting: try connectedSocket(to: path))
        connection.onRead = { [unowned self] bytes in
            var lines = 0
            for index in bytes.indices where bytes[index] == 0x0A { lines += 1 }
            onLines?(lines)
        }
        connection.onClose = { reason in fatalError("the server closed a connection: \(reason)") }
        connection.startReading()
    }

    /// Sends a line and runs the loop until its answer is there.
    func ask(_ line: String) throws {
        onLines = { [unowned self] _ in loop.stop() }
        connection.output.append(line + "\n")
        loop.run()
    }
}
