// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherEventLoop

// I9: however a stream of bytes is cut into reads, the answer is the same bytes.
extension World {
    func checkFraming() throws {
        guard let process, chance.percent(50) else { return }
        let lines = [
            "{\"id\":1,\"method\":\"user.get\",\"params\":{\"user\":7}}\r\n", "\n", "# é\n",
            "user\n",
            "{\"id\":2,\"method\":\"user.gét\"}\n",
            "[{\"id\":3,\"method\":\"ping\"},{\"method\":\"ping\"}]\n",
            "{\"id\":4,\n", "ping\r\n", "!\n", "{\"id\":\"é😀\",\"method\":\"movies.get\"}\n",
            "movies limit=2\n",
        ]
        var stream: [UInt8] = []
        for _ in 0..<1 + chance.below(8) { stream += Array(chance.pick(lines).utf8) }
        if chance.percent(40) { stream += Array("{\"id\":5,\"method\":\"ping\"}".utf8) }
        let whole = try answer(to: [stream], process)
        let cut = try answer(to: cuts(of: stream), process)
        try Violation.require(
            whole == cut,
            "I9: the answer depends on how \(String(decoding: stream, as: UTF8.self)) is cut")
    }

    private func cuts(of stream: [UInt8]) -> [[UInt8]] {
        let size = chance.pick([1, 5, 40])
        var rest = stream[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            let piece = rest.prefix(1 + chance.below(size))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    /// What a peer gets that sends this and then shuts its writing side.
    private func answer(to pieces: [[UInt8]], _ process: Process) throws -> [UInt8] {
        lastDescriptor += 1
        let socket = PeerSocket(
            descriptor: lastDescriptor, capacity: 1 << 20,
            PeerCredentials(pid: 1, uid: 0, gid: Habits.adminGroup))
        guard process.loop.connect(socket) else { throw Violation("nobody listens") }
        for piece in pieces { socket.send(piece) }
        socket.shutWriting()
        var turns = 0
        while !socket.isEnding {
            process.loop.turn()
            turns += 1
            try Violation.require(turns < 10_000, "I11: a connection does not end")
        }
        let answer = socket.read(socket.availableBytes)
        socket.close()
        process.loop.turn()
        process.loop.turn()
        return answer
    }
}
