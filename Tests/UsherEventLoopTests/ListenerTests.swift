// Part of Usher. SPDX-License-Identifier: Apache-2.0

import CUsherUV
import Glibc
import Testing

@testable import UsherEventLoop

@Suite struct ListenerTests {
    @Test func `Connections are accepted, read and answered`() throws {
        let folder = try TemporaryFolder()
        try withLoop { loop in
            let path = folder.file("s")
            var closes = 0
            let listener = try listen(on: loop, at: path) { connection in
                connection.onRead = { [unowned connection] in connection.write($0) }
                connection.onClose = { _ in closes += 1 }
                connection.startReading()
            }
            var peers: [Peer] = []
            for number in 0..<200 {
                let peer = try #require(Peer(connectingTo: path))
                peer.send("\(number)")
                peers.append(peer)
            }
            var answers = [String](repeating: "", count: 200)
            loop.run(until: {
                for (number, peer) in peers.enumerated() {
                    answers[number] += (try? peer.receiveText()) ?? ""
                }
                return answers == (0..<200).map { "\($0)" }
            })
            listener.close()
            peers = []
            loop.run(until: { closes == 200 })
        }
    }

    @Test func `A closed listener refuses, its connections go on, its file stays`() throws {
        let folder = try TemporaryFolder()
        try withLoop { loop in
            let path = folder.file("s")
            var accepted: Connection?
            let listener = try listen(on: loop, at: path) { accepted = $0 }
            let peer = try #require(Peer(connectingTo: path))
            loop.run(until: { accepted != nil })
            listener.close()
            listener.close()
            #expect(Peer(connectingTo: path) == nil)
            #expect(FileIdentity(at: path) != nil)
            accepted?.write("still here")
            loop.turnOnce()
            #expect(try peer.receiveText() == "still here")
            accepted?.close()
        }
    }

    @Test func `A listener may be closed inside its callback`() throws {
        let folder = try TemporaryFolder()
        try withLoop { loop in
            let path = folder.file("s")
            var listener: Listener?
            var count = 0
            listener = try listen(on: loop, at: path) { connection in
                count += 1
                connection.close()
                listener?.close()
            }
            let peers = try (0..<3).map { _ in try #require(Peer(connectingTo: path)) }
            loop.run(until: { count > 0 })
            loop.turnOnce()
            #expect(count == 1)
            withExtendedLifetime(peers) {}
        }
    }

    @Test func `What cannot listen is an error`() throws {
        try withLoop { loop in
            let (end, _) = try Peer.pair()
            #expect(throws: LoopError("listen", code: EINVAL)) {
                _ = try Listener(on: loop, descriptor: end) { _ in }
            }
        }
    }

    /// In a process of its own, because the limit is the process's.
    @Test func `Without descriptors peers are refused, nothing spins, and it recovers`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try withLoop { loop in
                let path = folder.file("s")
                var accepted: [Connection] = []
                let listener = try listen(on: loop, at: path) { connection in
                    accepted.append(connection)
                    connection.onRead = { [unowned connection] in connection.write($0) }
                    connection.startReading()
                }
                let first = try #require(Peer(connectingTo: path))
                loop.run(until: { accepted.count == 1 })
                // Peers take a descriptor of this process too: connect them, then lower the limit.
                let late = try (0..<40).map { _ in try #require(Peer(connectingTo: path)) }
                let limit = exhaust()
                loop.run(until: { listener.refusals > 0 })
                loop.turnOnce()
                #expect(listener.refusals == 40)
                #expect(try late.allSatisfy { try $0.receive() == [] })
                first.send("served")
                loop.turnOnce()
                loop.turnOnce()
                #expect(try first.receiveText() == "served")

                // The spare descriptor goes to somebody else: accepting pauses, the loop sleeps.
                late.forEach { $0.close() }
                let waiting = try #require(Peer(connectingTo: path))
                close(listener.spare)
                listener.spare = -1
                let thief = exhaust()
                let before = loop.turn.count
                let timer = Timer(on: loop) { loop.stop() }
                timer.start(afterMilliseconds: 250)
                loop.runUntilStopped()
                #expect(loop.turn.count - before < 20)
                #expect(accepted.count == 1)

                thief.forEach { close($0) }
                limit.forEach { close($0) }
                loop.run(until: { accepted.count == 2 })
                waiting.send("recovered")
                var answer = ""
                loop.run(until: {
                    answer += (try? waiting.receiveText()) ?? ""
                    return answer == "recovered"
                })
                listener.close()
                accepted.forEach { $0.close() }
            }
        }
    }
}

/// Takes every descriptor that is left below a low limit.
private func exhaust() -> [Int32] {
    var limit = rlimit(rlim_cur: 200, rlim_max: 200)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var taken: [Int32] = []
    while case let next = dup(2), next >= 0 { taken.append(next) }
    return taken
}

private func listen(
    on loop: EventLoop, at path: String, _ onConnection: @escaping (Connection) -> Void
) throws -> Listener {
    var socket = try UnixSocket(at: path, mode: 0o600)
    return try Listener(
        on: loop, descriptor: socket.takeDescriptor(), onConnection: onConnection)
}
