// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import UsherEventLoop

@Suite struct CloseAfterFlushTests {
    @Test func `The last reply arrives, then the end, although input was never read`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            peer.send(pattern(100_000))
            connection.write("bye\n")
            connection.closeAfterFlush()
            loop.turnOnce()
            #expect(try peer.receiveText() == "bye\n")
            #expect(try peer.receive() == [])
            // Still not closed: what the peer sends now must not reset it.
            peer.send("late")
            loop.turnOnce()
            #expect(record.entries == [])
            #expect(try peer.receive() == [])
            peer.close()
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries == ["closed"])
            #expect(record.text == "")
        }
    }

    @Test func `Output of any size is sent first`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            let all = pattern(1 << 20)
            connection.write(all)
            connection.closeAfterFlush(withinMilliseconds: 60_000)
            var received: [UInt8] = []
            let reader = Timer(on: loop) {
                received += (try? peer.receiveAll()) ?? []
                if received.count == all.count { peer.close() }
            }
            reader.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            loop.run(until: { !record.entries.isEmpty })
            #expect(received == all)
            #expect(record.entries == ["closed"])
        }
    }

    @Test func `After a half-close by the peer nothing is left to wait for`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.startReading()
            peer.endWriting()
            loop.run(until: { record.entries == ["end"] })
            connection.write("bye\n")
            connection.closeAfterFlush(withinMilliseconds: 60_000)
            loop.run(until: { record.entries.count == 2 })
            #expect(record.entries == ["end", "closed"])
            #expect(try peer.receiveText() == "bye\n")
        }
    }

    @Test func `A peer that never reads is given up, and the loss reported`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.write(pattern(1 << 20))
            connection.closeAfterFlush(withinMilliseconds: 20)
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries == ["ETIMEDOUT"])
            withExtendedLifetime(peer) {}
        }
    }

    @Test func `A peer that never closes is closed at the deadline, without loss`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.write("bye\n")
            connection.closeAfterFlush(withinMilliseconds: 20)
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries == ["closed"])
            #expect(try peer.receiveText() == "bye\n")
        }
    }

    @Test func `Without a deadline a slow peer gets all, and only then is in a hurry`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            let all = pattern(1 << 20)
            connection.write(all)
            connection.closeAfterFlush(withinMilliseconds: nil)
            loop.turnOnce()
            #expect(connection.phase == .flushing)
            var received: [UInt8] = []
            let reader = Timer(on: loop) { received += (try? peer.receiveAll()) ?? [] }
            reader.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            loop.run(until: { received.count == all.count })
            loop.run(until: { connection.phase == .lingering })
            peer.close()
            loop.run(until: { !record.entries.isEmpty })
            #expect(received == all)
            #expect(record.entries == ["closed"])
        }
    }

    @Test func `A close that does not linger ends by itself, and the peer still reads all`() throws
    {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            // More than one read of the loop, so that the kernel still holds some.
            peer.send(pattern(150_000))
            connection.write("bye\n")
            connection.closeAfterFlush(lingers: false)
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries == ["closed"])
            // A reset would come out of the first read and hide the reply.
            #expect(try peer.receive() == Array("bye\n".utf8))
            #expect(try peer.receive() == [])
            #expect(peer.send("late") == 0)
        }
    }

    @Test func `A peer that leaves during the flush ends it`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.write(pattern(1 << 20))
            connection.closeAfterFlush(withinMilliseconds: 60_000)
            loop.turnOnce()
            peer.close()
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries.count == 1)
            #expect(["ECONNRESET", "EPIPE", "hang-up"].contains(record.entries[0]))
        }
    }

    @Test func `It may be called inside the read callback, and output may still be added`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            var reads = 0
            let record = Record()
            connection.onRead = { _ in
                reads += 1
                connection.closeAfterFlush()
                connection.closeAfterFlush()
                connection.write("bye\n")
            }
            connection.onClose = { record.note($0.summary) }
            connection.startReading()
            peer.send("quit\n")
            loop.run(until: { reads == 1 })
            peer.send("more\n")
            loop.turnOnce()
            #expect(try peer.receiveText() == "bye\n")
            peer.close()
            loop.run(until: { !record.entries.isEmpty })
            #expect(reads == 1)
            #expect(record.entries == ["closed"])
        }
    }

    @Test func `Output that comes after the flush is dropped, and is no error`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.write("bye\n")
            connection.closeAfterFlush(withinMilliseconds: 60_000)
            loop.turnOnce()
            connection.write("late\n")
            loop.turnOnce()
            #expect(connection.unsentBytes == 0)
            #expect(try peer.receiveText() == "bye\n")
            peer.close()
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries == ["closed"])
        }
    }

    @Test func `A close in the middle of it takes effect at once`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let record = Record()
            record.follow(connection)
            connection.write(pattern(1 << 20))
            connection.closeAfterFlush(withinMilliseconds: 60_000)
            loop.turnOnce()
            connection.close()
            loop.run(until: { !record.entries.isEmpty })
            #expect(record.entries == ["closed"])
            withExtendedLifetime(peer) {}
        }
    }
}
