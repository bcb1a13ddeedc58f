// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Clients that misbehave; a few of each kind stay.
final class Crowd {
    private static let staying = 8
    private var peers: [LineClient] = []

    /// Asks for more than the kernel holds and reads nothing.
    func joinStalled(_ daemon: RunningDaemon) throws {
        let peer = try daemon.connect()
        let line = #"{"id":1,"method":"rpc.discover","params":{"method":"subscribe"}}"# + "\n"
        try peer.send(bytes: String(repeating: line, count: 200).utf8)
        stay(peer)
    }

    /// Leaves the daemon waiting for the end of a line.
    func joinWithHalfALine(_ daemon: RunningDaemon) throws {
        let peer = try daemon.connect()
        try peer.send("watch user", "watch movies")
        try peer.send(bytes: #"{"id":1,"method":"us"#.utf8)
        stay(peer)
    }

    /// Sends much and goes without reading an answer.
    func floodAndLeave(_ daemon: RunningDaemon) throws {
        let peer = try daemon.connect()
        try peer.send(bytes: String(repeating: "user\nmovies\n", count: 100).utf8)
        peer.close()
    }

    /// Begins and ends subscriptions.
    func comeAndGo(_ daemon: RunningDaemon) throws {
        let peer = try daemon.connect()
        for index in 0..<20 {
            _ = try peer.ask("subscribe topic=user as=s\(index) mode=all")
        }
        peer.finishSending()
        peer.close()
    }

    /// Says what is no request.
    func sayNonsense(_ daemon: RunningDaemon) throws {
        let peer = try daemon.connect()
        let lines = [
            "{", "[]", "\u{0}", #"{"id":null}"#, "renam x", #"{"id":1,"method":"nope"}"#,
            String(repeating: "[", count: 500), String(repeating: "x", count: 70_000),
        ]
        for line in lines {
            let answer = try peer.ask(line)
            guard answer["error"] != .null else {
                throw TestFailure("\(line) is no error: \(answer)")
            }
        }
        peer.close()
    }

    func leave() {
        for peer in peers { peer.close() }
        peers = []
    }

    private func stay(_ peer: LineClient) {
        peers.append(peer)
        if peers.count > Self.staying { peers.removeFirst().close() }
    }
}
