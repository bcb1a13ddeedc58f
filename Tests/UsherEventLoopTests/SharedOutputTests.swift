// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherEventLoop

struct `Shared output` {
    /// Who gets a piece.
    private enum Piece {
        case one(Character), both(Character), own(Character)
    }

    /// Gives the pieces of one turn to a connection, and to a second one that gets some of them.
    private func write(
        _ pieces: [Piece], of output: SharedOutput, to first: Connection, _ second: Connection
    ) {
        for piece in pieces {
            switch piece {
            case .both(let letter), .one(let letter):
                output.append([UInt8]("\(letter)".utf8), [UInt8(ascii: " ")])
                #expect(first.write(lastOf: output, unlessUnsentAbove: 100))
                if case .both = piece {
                    #expect(second.write(lastOf: output, unlessUnsentAbove: 100))
                }
            case .own(let letter):
                first.write("\(letter) ".utf8)
            }
        }
    }

    @Test(
        arguments: [
            [.both("a")], [.both("a"), .both("b"), .both("c")],
            [.one("a"), .both("b"), .both("c")],
            [.both("a"), .one("b"), .both("c"), .both("d")], [.both("a"), .own("b"), .both("c")],
            [.own("a"), .both("b"), .both("c")], [.one("a"), .own("b"), .both("c"), .own("d")],
        ] as [[Piece]])
    private func `leaves in one write with all else of its turn, in order, for each who gets it`(
        pieces: [Piece]
    ) throws {
        try withLoop { loop in
            let (first, peer) = try Peer.connected(on: loop, byPackets: true)
            let (second, otherPeer) = try Peer.connected(on: loop, byPackets: true)
            var output = SharedOutput()
            // The second time all begins anew.
            for _ in 1...2 {
                SharedOutput.renew(&output)
                write(pieces, of: output, to: first, second)
                var expected = ("", "")
                for piece in pieces {
                    switch piece {
                    case .one(let letter), .own(let letter): expected.0 += "\(letter) "
                    case .both(let letter):
                        expected.0 += "\(letter) "
                        expected.1 += "\(letter) "
                    }
                }
                #expect(first.unsentBytes == expected.0.utf8.count)
                #expect(second.unsentBytes == expected.1.utf8.count)
                loop.turnOnce()
                #expect(first.unsentBytes == 0 && second.unsentBytes == 0)
                #expect(try peer.receiveText() == expected.0)
                #expect(try otherPeer.receiveText() == expected.1)
                #expect(try peer.receive() == nil)
            }
            first.close()
            second.close()
            #expect(!first.write(lastOf: output, unlessUnsentAbove: 100))
        }
    }

    @Test func `that a socket does not take is sent on, in order`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let piece = pattern(100_000)
            var output = SharedOutput()
            var written: [UInt8] = []
            var received: [UInt8] = []
            // One by one until some wait, then several behind what waits.
            for turn in 0..<20 {
                for _ in 0..<(turn < 10 ? 1 : 3) {
                    SharedOutput.renew(&output)
                    output.append(piece, [])
                    if connection.write(lastOf: output, unlessUnsentAbove: 1_000_000) {
                        written += piece
                    }
                }
                loop.turnOnce()
            }
            #expect(connection.unsentBytes > 1_000_000)
            #expect(!connection.write(lastOf: output, unlessUnsentAbove: 1_000_000))
            while received.count < written.count {
                while let bytes = try peer.receive(), !bytes.isEmpty { received += bytes }
                loop.turnOnce()
            }
            #expect(received == written)
            #expect(connection.unsentBytes == 0)
            connection.close()
        }
    }

    @Test func `is sent before a polite close, also if both came while the last output drained`()
        throws
    {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let output = SharedOutput()
            output.append([UInt8]("last".utf8), [])
            let large = pattern(Connection.defaultLowWater + 1)
            connection.onDrain = {
                #expect(connection.write(lastOf: output, unlessUnsentAbove: 100))
                connection.closeAfterFlush()
            }
            connection.write(large)
            var received: [UInt8] = []
            var hasEnded = false
            while !hasEnded {
                loop.turnOnce()
                while let bytes = try peer.receive(), !hasEnded {
                    received += bytes
                    hasEnded = bytes.isEmpty
                }
            }
            #expect(received == large + [UInt8]("last".utf8))
            peer.close()
            loop.turnOnce()
        }
    }

    @Test func `is lost with the connection, as other output is`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            let output = SharedOutput()
            output.append(pattern(100), [])
            #expect(connection.write(lastOf: output, unlessUnsentAbove: 100))
            connection.close()
            loop.turnOnce()
            #expect(try peer.receive() == [])
        }
    }

    @Test func `is emptied when nobody sends of it any more, not before`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            var output = SharedOutput()
            for text in ["one ", "two "] {
                SharedOutput.renew(&output)
                output.append([UInt8](text.utf8), [])
                #expect(connection.write(lastOf: output, unlessUnsentAbove: 100))
            }
            #expect(output.count == 8)
            loop.turnOnce()
            #expect(try peer.receiveText() == "one two ")
            SharedOutput.renew(&output)
            #expect(output.count == 0)
            connection.close()
        }
    }

    @Test func `that is large is left to those who send of it`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            var output = SharedOutput()
            let large = pattern(SharedOutput.largestReused + 1)
            output.append(large, [])
            #expect(connection.write(lastOf: output, unlessUnsentAbove: 0))
            SharedOutput.renew(&output)
            #expect(output.count == 0)
            output.append([1], [])
            #expect(connection.write(lastOf: output, unlessUnsentAbove: 1_000_000))
            loop.turnOnce()
            #expect(try peer.receiveAll() == large + [1])
            connection.close()
        }
    }
}
