// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import UsherEventLoop

@Suite struct HalfCloseTests {
    @Test func `Replies still go out after the peer's half-close`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            peer.send("get\n")
            peer.endWriting()
            loop.run(until: { record.entries == ["end"] })
            #expect(record.text == "get\n")
            connection.write("reply\n")
            loop.turnOnce()
            connection.startReading()
            connection.write("news\n")
            loop.turnOnce()
            #expect(try peer.receiveText() == "reply\nnews\n")
            #expect(record.entries == ["end"])
            connection.close()
        }
    }

    @Test func `The hang-up after a half-close is noticed without writing`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            peer.endWriting()
            loop.run(until: { record.entries == ["end"] })
            peer.close()
            loop.run(until: { record.entries.count == 2 })
            #expect(record.entries == ["end", "hang-up"])
        }
    }

    @Test func `A hang-up with output unread is noticed too`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            peer.endWriting()
            loop.run(until: { record.entries == ["end"] })
            connection.write("unread")
            loop.turnOnce()
            peer.close()
            loop.run(until: { record.entries.count == 2 })
            #expect(record.entries == ["end", "hang-up"])
        }
    }

    @Test func `A peer that leaves outright is an end and a hang-up in one`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            peer.send("last words")
            peer.close()
            loop.run(until: { record.entries.count == 2 })
            #expect(record.text == "last words")
            #expect(record.entries == ["end", "hang-up"])
        }
    }

    @Test func `Many peers that hang up at once are all noticed`() throws {
        try withLoop { loop in
            var pairs: [(connection: Connection, peer: Peer)] = []
            for _ in 0..<150 { pairs.append(try Peer.connected(on: loop)) }
            let record = Record()
            for pair in pairs {
                record.follow(pair.connection)
                pair.connection.startReading()
                pair.peer.endWriting()
            }
            loop.run(until: { record.entries.count == 150 })
            for pair in pairs { pair.peer.close() }
            loop.run(until: { record.entries.count == 300 })
            #expect(record.entries[150...].allSatisfy { $0 == "hang-up" })
        }
    }

    @Test func `One hang-up may close the others`() throws {
        try withLoop { loop in
            var pairs: [(connection: Connection, peer: Peer)] = []
            for _ in 0..<10 { pairs.append(try Peer.connected(on: loop)) }
            let record = Record()
            for pair in pairs {
                record.follow(pair.connection)
                pair.connection.onClose = { reason in
                    record.note(reason.summary)
                    for pair in pairs { pair.connection.close() }
                }
                pair.connection.startReading()
                pair.peer.endWriting()
            }
            loop.run(until: { record.entries.count == 10 })
            for pair in pairs { pair.peer.close() }
            loop.run(until: { record.entries.count == 20 })
            loop.turnOnce()
            #expect(record.entries.count == 20)
        }
    }

    @Test func `A half-closed connection costs no turns of the loop`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            peer.endWriting()
            loop.run(until: { record.entries == ["end"] })
            // The stopped read watcher may wake the loop once, and the timer does.
            #expect(loop.turnsOfRest() <= 4)
            connection.close()
            withExtendedLifetime(peer) {}
        }
    }
}
