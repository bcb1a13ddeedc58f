// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Lines of every kind, with characters of two to four bytes, whose answers are always the same.
private let exchange: [UInt8] =
    Array(
        """
        {"id":1,"method":"sync"}\r

        # 中
        {"jsonrpc":"2.0","id":-0,"method":"sync"}
        [{"id":"中🎬","method":"sync"},3]\r
        sync
        syn é
        {"id":"\u{2028}é","method":"sync","params":{"ü":1}}
        \0
        \u{85}
        {"id":2,"method":"sync"
        """.utf8) + [0xC3, 0x0A] + Array("sync".utf8)

extension RunningDaemon {
    /// Sends the exchange cut at these places, each piece after the daemon has read the one before.
    fileprivate func answer(cutAt cuts: [Int]) throws -> [UInt8] {
        let client = try connect()
        var start = 0
        for end in cuts + [exchange.count] {
            try client.send(bytes: exchange[start..<end])
            try client.waitUntilRead()
            start = end
        }
        client.finishSending()
        return try client.allBytes()
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The same bytes in other pieces` {
    @Test func `are 200 bytes with an answer to each line`() throws {
        #expect((190...210).contains(exchange.count))
        let lines = String(decoding: try RunningDaemon().answer(cutAt: []), as: UTF8.self)
            .split(separator: "\n")
        let expected: [Answer] = [
            .synced("1"), .synced("-0"),
            .line(
                #"[{"jsonrpc":"2.0","id":"中🎬","result":{}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request is an object, or an array of them","data":{"reason":"not_object","retryable":false}}}]"#
            ),
            .synced("6"), .error(id: "7", -32601, "unknown_method"),
            .error(id: "\"\u{2028}é\"", -32602, "unknown_param", path: "/params/ü"),
            .unreadable(-32700, "nul_byte", offset: 0), .unreadable(-32700, "bad_json", offset: 0),
            .unreadable(-32700, "invalid_utf8", offset: 23), .synced("12"),
        ]
        #expect(lines.count == expected.count)
        for (line, answer) in zip(lines, expected) {
            #expect(answer.complaint(about: String(line)) == nil, "\(line)")
        }
    }

    @Test func `get the same answer for every cut in two`() throws {
        let daemon = try RunningDaemon()
        let whole = try daemon.answer(cutAt: [])
        for cut in 1..<exchange.count {
            #expect(try daemon.answer(cutAt: [cut]) == whole, "cut at \(cut)")
        }
    }

    @Test func `get the same answer byte by byte`() throws {
        let daemon = try RunningDaemon()
        let whole = try daemon.answer(cutAt: [])
        #expect(try daemon.answer(cutAt: Array(1..<exchange.count)) == whole)
    }

    @Test func `get the same answer for random cuts`() throws {
        let daemon = try RunningDaemon()
        let whole = try daemon.answer(cutAt: [])
        for seed in 1...100 as ClosedRange<UInt64> {
            var random = SplitMix(seed: seed)
            let count = Int.random(in: 2...20, using: &random)
            let cuts = (0..<count).map { _ in Int.random(in: 1..<exchange.count, using: &random) }
            #expect(try daemon.answer(cutAt: Set(cuts).sorted()) == whole, "seed \(seed)")
        }
    }

    @Test func `of a line at its limit, in pieces around it`() throws {
        let daemon = try RunningDaemon()
        for (count, reason) in [(65_536, nil), (65_537, "line_too_long")] as [(Int, String?)] {
            for last in [1, 2, 3, 4_096] {
                let client = try daemon.connect()
                let head = Array(#"{"id":1,"method":"sync""#.utf8)
                let blanks = [UInt8](repeating: 0x20, count: count - head.count - 2)
                let line = head + blanks + [0x7D, 0x0A]
                try client.send(bytes: line.dropLast(last))
                try client.waitUntilRead()
                try client.send(bytes: line.suffix(last))
                let reply = try client.json()
                #expect(reply.reason == reason)
                #expect(try client.ask("sync")["id"].integer == 2)
            }
        }
    }
}
