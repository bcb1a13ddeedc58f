// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import UsherEventLoop

@Suite struct ConnectionReadingTests {
    @Test func `Bytes come as they were written`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            peer.send("hello ")
            loop.turnOnce()
            peer.send("world\n")
            loop.run(until: { record.text == "hello world\n" })
            connection.close()
        }
    }

    @Test func `Nothing is read before reading starts, nor while it is stopped`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            peer.send("a")
            loop.turnOnce()
            #expect(record.text == "")
            connection.startReading()
            loop.run(until: { record.text == "a" })
            connection.stopReading()
            peer.send("b")
            loop.turnOnce()
            #expect(record.text == "a")
            connection.startReading()
            loop.run(until: { record.text == "ab" })
            connection.close()
        }
    }

    @Test func `Reading may stop inside the callback, with more to come`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            var reads = 0
            connection.onRead = { _ in
                reads += 1
                connection.stopReading()
            }
            connection.startReading()
            #expect(peer.send(pattern(150_000)) == 150_000)
            for expected in 1...2 {
                loop.run(until: { reads == expected })
                loop.turnOnce()
                #expect(reads == expected)
                connection.startReading()
            }
            connection.close()
        }
    }

    @Test(arguments: [1, 997, 65_535, 65_536, 65_537, 300_000])
    func `A mebibyte comes whole, whatever the pieces it was sent in`(_ piece: Int) throws {
        try withLoop { loop in
            let size = piece == 1 ? 10_000 : 1 << 20
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            let all = pattern(size)
            var sent = 0
            let feed = Timer(on: loop) {
                while sent < size {
                    let took = peer.send(Array(all[sent..<min(sent + piece, size)]))
                    if took == 0 { return }
                    sent += took
                }
            }
            feed.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            loop.run(until: { record.bytes.count >= size })
            #expect(record.bytes == all)
            connection.close()
        }
    }

    @Test(arguments: [false, true])
    func `A connection that does not read costs no turns, whatever its peer does`(
        hasVanished: Bool
    ) throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            loop.turnOnce()
            connection.stopReading()
            peer.send("later")
            if hasVanished { peer.close() }
            // What is still watched may wake the loop once, and the timer does.
            #expect(loop.turnsOfRest() <= 4)
            #expect(record.bytes.isEmpty)
            connection.startReading()
            loop.run(until: { !record.bytes.isEmpty })
            #expect(record.bytes == Array("later".utf8))
            if hasVanished { loop.run(until: { !record.entries.isEmpty }) }
            connection.close()
            withExtendedLifetime(peer) {}
        }
    }

    /// What the peer sent before is read before; 150,000 bytes take more than two turns.
    @Test(arguments: [0, 150_000])
    func `A reset by the peer closes the connection with its error`(sentBefore: Int) throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.write("never read")
            loop.turnOnce()
            connection.startReading()
            let all = pattern(sentBefore)
            #expect(peer.send(all) == all.count)
            peer.close()
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.bytes == all)
            #expect(record.entries == ["ECONNRESET"])
        }
    }
}
