// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import UsherEventLoop

@Suite struct ConnectionWritingTests {
    @Test func `Output that the socket takes at once, or all but a little, drains too`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            var drains = 0
            connection.onDrain = { drains += 1 }
            connection.write(pattern(Connection.defaultLowWater + 1))
            loop.turnOnce()
            #expect(connection.unsentBytes == 0)
            #expect(drains == 1)
            // Whatever the socket holds, some of these leave no more than the mark.
            for step in 1...20 {
                _ = try peer.receiveAll()
                loop.turnOnce()
                let before = drains
                connection.write(pattern(100_000 + step * 20_000))
                loop.turnOnce()
                #expect((drains > before) == (connection.unsentBytes <= connection.lowWater))
                while connection.unsentBytes > 0 {
                    _ = try peer.receiveAll()
                    loop.turnOnce()
                }
                #expect(drains == before + 1)
            }
            connection.close()
        }
    }

    @Test func `Output that gathers while little is being written drains too`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            connection.lowWater = 100_000
            var drains = 0
            connection.onDrain = { drains += 1 }
            // Filled in small steps, so that what libuv holds in the end is below the mark.
            while connection.unsentBytes == 0 {
                connection.write(pattern(1_000))
                loop.turnOnce()
            }
            #expect(connection.unsentBytes <= 1_000)
            connection.write(pattern(150_000))
            loop.turnOnce()
            #expect(drains == 0)
            // The peer empties the kernel's buffer, which then has room for all of it at once.
            while connection.unsentBytes > 0 {
                _ = try peer.receiveAll()
                loop.turnOnce()
            }
            #expect(drains == 1)
            connection.close()
        }
    }

    @Test func `All that one turn wrote leaves in one write`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop, byPackets: true)
            let timer = Timer(on: loop) {
                connection.write("one ")
                connection.write([UInt8]("two ".utf8))
                connection.write([UInt8]("three ".utf8).span)
                connection.write("four ".utf8)
                connection.output.append(decimal: 5)
                loop.atEndOfTurn { connection.write(" six") }
            }
            timer.start(afterMilliseconds: 0)
            loop.turnOnce()
            #expect(try peer.receive() == [UInt8]("one two three four 5 six".utf8))
            #expect(try peer.receive() == nil)
            connection.write("seven")
            loop.turnOnce()
            connection.write("eight")
            loop.turnOnce()
            #expect(try peer.receive() == [UInt8]("seven".utf8))
            #expect(try peer.receive() == [UInt8]("eight".utf8))
            connection.close()
        }
    }

    @Test func `Nothing is sent before the turn ends`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            connection.write("soon")
            #expect(try peer.receive() == nil)
            #expect(connection.unsentBytes == 4)
            loop.turnOnce()
            #expect(connection.unsentBytes == 0)
            #expect(try peer.receiveText() == "soon")
            connection.close()
        }
    }

    @Test func `A peer that does not read makes unsent bytes grow, and one drain follows`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            let first = pattern(1 << 20)
            connection.write(first)
            loop.turnOnce()
            let held = connection.unsentBytes
            #expect(held > 0 && held < 1 << 20)
            // New output gathers apart, while libuv still holds the first.
            let second = [UInt8](repeating: 7, count: 300_000)
            connection.write(second)
            loop.turnOnce()
            #expect(connection.unsentBytes == held + 300_000)
            #expect(record.entries == [])
            var received: [UInt8] = []
            let reader = Timer(on: loop) { received += (try? peer.receive(upTo: 10_000)) ?? [] }
            reader.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            loop.run(until: { received.count == first.count + second.count })
            #expect(received == first + second)
            #expect(connection.unsentBytes == 0)
            #expect(record.entries == ["drain"])
            connection.close()
        }
    }

    @Test(arguments: [70_000, 250_000])
    func `A drain follows also when all, or all but little, goes out in one write`(
        _ size: Int
    ) throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.write(pattern(300_000))
            loop.turnOnce()
            // What gathers meanwhile meets a socket that has just been emptied.
            connection.write(pattern(size))
            loop.turnOnce()
            var received = 0
            loop.run(until: {
                received += ((try? peer.receiveAll()) ?? []).count
                return connection.unsentBytes == 0
            })
            #expect(record.entries == ["drain"])
            received += try peer.receiveAll().count
            #expect(received == 300_000 + size)
            connection.close()
        }
    }

    @Test func `A drain follows also when a write ends in the turn that went above the mark`()
        throws
    {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.lowWater = 300_000
            connection.write(pattern(300_000))
            loop.turnOnce()
            #expect(connection.unsentBytes > 10_000)
            connection.onRead = { _ in
                connection.write(pattern(290_000))
                #expect(connection.unsentBytes > connection.lowWater)
            }
            connection.startReading()
            // The socket becomes readable and writable at once, and is read first.
            _ = try peer.receiveAll()
            peer.send([0x0A])
            loop.turnOnce()
            loop.turnOnce()
            #expect(record.entries == ["drain"])
            connection.close()
        }
    }

    @Test(arguments: [1, 997, 70_000])
    func `A mebibyte arrives whole, however small the reads`(_ piece: Int) throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let size = piece == 1 ? 250_000 : 1 << 20
            let all = pattern(size)
            connection.write(all)
            var received: [UInt8] = []
            let reader = Timer(on: loop) {
                for _ in 0..<20_000 {
                    guard let bytes = try? peer.receive(upTo: piece) else { return }
                    received += bytes
                }
            }
            reader.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            loop.run(until: { received.count >= size })
            #expect(received == all)
            connection.close()
        }
    }

    @Test func `A drain callback may write, and what it writes is sent`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            var drains = 0
            connection.onDrain = {
                drains += 1
                connection.write(drains == 3 ? Array("end".utf8) : pattern(400_000))
            }
            connection.write(pattern(400_000))
            var received: [UInt8] = []
            let reader = Timer(on: loop) { received += (try? peer.receiveAll()) ?? [] }
            reader.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            loop.run(until: { received.count == 1_200_003 })
            #expect(drains == 3)
            connection.close()
        }
    }

    @Test func `Writing to a vanished peer is an error of the connection, not a signal`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            peer.close()
            connection.write("anybody?")
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries == ["EPIPE"])
        }
    }

    @Test func `A peer that vanishes during a write closes the connection once`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            connection.write(pattern(1 << 20))
            loop.turnOnce()
            peer.close()
            loop.run(until: { !record.entries.isEmpty })
            loop.turnOnce()
            #expect(record.entries.count == 1)
            #expect(["ECONNRESET", "EPIPE"].contains(record.entries[0]))
        }
    }

    @Test func `Sent output leaves no memory with the connection`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            connection.write(pattern(100_000))
            loop.turnOnce()
            #expect(try peer.receiveAll().count == 100_000)
            #expect(connection.gathering.capacity == 0)
            #expect(loop.outputPool.held > 0)
            connection.close()
        }
    }
}
