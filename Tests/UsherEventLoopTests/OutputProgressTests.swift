// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherEventLoop

@Suite struct OutputProgressTests {
    @Test func `A peer that reads nothing makes no progress, and one that reads does`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            connection.write(pattern(1 << 20))
            loop.turnOnce()
            let start = connection.outputProgress
            loop.turnOnce()
            #expect(!connection.outputProgress.isAhead(of: start))
            // What libuv can write now tells it, or the kernel, which still holds the rest.
            var last = start
            var received = 0
            while received < 1 << 20 {
                received += try peer.receiveAll().count
                #expect(connection.outputProgress.isAhead(of: last))
                last = connection.outputProgress
                loop.turnOnce()
            }
            #expect(connection.unsentBytes == 0)
            #expect(connection.outputProgress.written == 1 << 20)
            connection.close()
        }
    }

    @Test func `What the socket did not take is told once until it has`() throws {
        try withLoop { loop in
            let (connection, peer) = try Peer.connected(on: loop)
            var backlogs = 0
            connection.onBacklog = { backlogs += 1 }
            connection.write("small")
            loop.turnOnce()
            #expect(backlogs == 0)
            connection.write(pattern(1 << 20))
            loop.turnOnce()
            connection.write("more")
            loop.turnOnce()
            #expect(backlogs == 1)
            let size = 5 + 1 << 20 + 4
            var received = 0
            let reader = Timer(on: loop) { received += (try? peer.receiveAll().count) ?? size }
            reader.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
            loop.run(until: { received == size })
            #expect(backlogs == 1)
            connection.write(pattern(1 << 20))
            connection.closeAfterFlush(withinMilliseconds: nil)
            loop.turnOnce()
            #expect(backlogs == 2)
            connection.close()
        }
    }
}
