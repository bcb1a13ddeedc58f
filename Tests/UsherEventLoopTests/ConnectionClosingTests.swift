// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import UsherEventLoop

@Suite struct ConnectionClosingTests {
    @Test func `A close comes back once, later, whatever follows it`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            connection.close()
            #expect(record.entries == [])
            #expect(!connection.isOpen)
            #expect(connection.descriptor == -1)
            connection.close(.hangUp)
            connection.closeAfterFlush()
            connection.startReading()
            connection.stopReading()
            connection.write("lost")
            peer.send("lost")
            loop.turnOnce()
            loop.turnOnce()
            #expect(record.entries == ["closed"])
            #expect(try peer.receiveText() == "")
            #expect(connection.unsentBytes == 0)
        }
    }

    @Test func `A connection may be closed without ever having been used`() throws {
        try withLoop { loop in
            let (connection, _) = try Peer.connected(on: loop)
            connection.close()
        }
    }

    @Test func `A close before the flush loses the output`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            connection.write("lost")
            connection.close()
            loop.turnOnce()
            #expect(try peer.receive() == [])
        }
    }

    @Test(arguments: ["read", "end", "drain", "close", "end of turn"])
    func `A connection may be closed inside any callback`(_ place: String) throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            func act(_ here: String) {
                record.note(here)
                if here == place {
                    connection.close()
                    connection.write("after the close")
                }
            }
            connection.onRead = { _ in act("read") }
            connection.onEnd = { act("end") }
            connection.onDrain = { act("drain") }
            connection.onClose = { _ in act("close") }
            connection.startReading()
            connection.write(pattern(300_000))
            peer.send("x")
            loop.turnOnce()
            let reader = Timer(on: loop) { _ = try? peer.receiveAll() }
            reader.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            if place == "end of turn" { loop.atEndOfTurn { act(place) } }
            if place == "drain" { loop.run(until: { record.entries.contains(place) }) }
            peer.endWriting()
            if place == "close" {
                loop.run(until: { record.entries.contains("end") })
                peer.close()
            }
            loop.run(until: { record.entries.contains("close") })
            loop.turnOnce()
            #expect(record.entries.last == "close")
            #expect(record.entries.filter { $0 == "close" }.count == 1)
            if place != "close" {
                #expect(Array(record.entries.suffix(2)) == [place, "close"])
            }
        }
    }

    @Test func `A connection may be closed with a write pending`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.write(pattern(1 << 20))
            loop.turnOnce()
            connection.write("more")
            connection.close()
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries == ["closed"])
            #expect(try peer.receiveAll().count < 1 << 20)
        }
    }

    @Test func `A loop that closes runs the close callbacks of connections`() throws {
        let record = Record()
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            record.follow(connection)
            connection.write(pattern(1 << 20))
            loop.turnOnce()
            connection.close()
            withExtendedLifetime(peer) {}
        }
        #expect(record.entries == ["closed"])
    }

    @Test func `One callback may close the others that have input in the same turn`() throws {
        try withLoop { loop in
            var pairs: [(connection: Connection, peer: Peer)] = []
            for _ in 0..<10 { pairs.append(try Peer.connected(on: loop)) }
            var reads = 0
            var closes = 0
            for pair in pairs {
                pair.connection.onRead = { _ in
                    reads += 1
                    for pair in pairs { pair.connection.close() }
                }
                pair.connection.onClose = { _ in closes += 1 }
                pair.connection.startReading()
                pair.peer.send("x")
            }
            loop.run(until: { closes == 10 })
            #expect(reads == 1)
        }
    }

    @Test func `Subscribers that vanish while everybody is written to are closed once each`() throws
    {
        try withLoop { loop in
            var pairs: [(connection: Connection, peer: Peer)] = []
            for _ in 0..<100 { pairs.append(try Peer.connected(on: loop)) }
            var open = pairs.map(\.connection)
            var closes = 0
            for pair in pairs {
                pair.connection.onClose = { _ in
                    closes += 1
                    open.removeAll { $0 === pair.connection }
                }
                pair.connection.startReading()
            }
            for (index, pair) in pairs.enumerated() where index.isMultiple(of: 2) {
                pair.peer.close()
            }
            for _ in 0..<3 {
                for connection in open { connection.write("news\n") }
                loop.turnOnce()
            }
            #expect(closes == 50)
            #expect(open.count == 50)
            #expect(try pairs[1].peer.receiveText() == "news\nnews\nnews\n")
            for connection in open { connection.close() }
        }
    }

    @Test func `A closed connection drops its callbacks and is released`() throws {
        try withLoop { loop in
            weak var watched: Connection?
            var held: Record? = Record()
            weak let record = held
            func use() throws {
                let (connection, _) = try Peer.connected(on: loop)
                watched = connection
                if let held { held.follow(connection) }
                connection.close()
            }
            try use()
            held = nil
            #expect(watched != nil)
            loop.turnOnce()
            #expect(watched == nil)
            #expect(record == nil)
        }
    }

    @Test func `A connection that nobody holds stays open`() throws {
        try withLoop { loop in
            let record = Record()
            let (end, peer) = try Peer.pair()
            func adopt() throws {
                let connection = try Connection(on: loop, adopting: end)
                connection.onRead = { [unowned connection] in connection.write($0) }
                connection.onClose = { _ in record.note("closed") }
                connection.startReading()
            }
            try adopt()
            peer.send("echo")
            loop.turnOnce()
            loop.turnOnce()
            #expect(try peer.receiveText() == "echo")
            peer.close()
            loop.run(until: { record.entries == ["closed"] })
        }
    }

    @Test func `A descriptor that is none is refused`() throws {
        try withLoop { loop in
            #expect(throws: LoopError("open socket -1", code: EBADF)) {
                _ = try Connection(on: loop, adopting: -1)
            }
        }
    }
}
