// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

/// What a framer gave out, with bytes of its own so that the pieces of several reads can be compared.
private enum Cut: Equatable {
    case line(String)
    case tooLong
    /// The end of the stream ended it.
    case last(String)
}

extension LineFramer {
    /// All that can be cut; if `mixed`, two of three lines are taken as they are cut.
    fileprivate mutating func cuts(mixed: Bool = false) -> [Cut] {
        var cuts: [Cut] = []
        while true {
            if mixed {
                cut { line in
                    guard cuts.count % 3 != 0 else { return false }
                    cuts.append(
                        .line(String(decoding: line.indices.map { line[$0] }, as: UTF8.self)))
                    return true
                }
            }
            guard let item = next() else { break }
            switch item {
            case .line(let range): cuts.append(.line(text(range)))
            case .tooLong: cuts.append(.tooLong)
            }
        }
        return cuts
    }

    fileprivate mutating func end() -> [Cut] {
        finish().map { [.last(text($0))] } ?? []
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: buffer[range], as: UTF8.self)
    }
}

/// All lines of a stream that arrives in these pieces, however they are taken.
private func lines(_ pieces: [ArraySlice<UInt8>], limit: Int) -> [Cut] {
    func lines(mixed: Bool) -> [Cut] {
        var framer = LineFramer(limit: limit)
        var cuts: [Cut] = []
        for piece in pieces {
            framer.append(piece.span)
            cuts += framer.cuts(mixed: mixed)
        }
        return cuts + framer.end()
    }
    let cuts = lines(mixed: false)
    #expect(lines(mixed: true) == cuts)
    return cuts
}

struct LineFramerTests {
    @Test func `A line ends at LF, loses one CR, and may be empty`() {
        var framer = LineFramer()
        framer.append("a\nb\r\n\n\r\nc\r\r\nd\re\n".utf8)
        #expect(
            framer.cuts() == [
                .line("a"), .line("b"), .line(""), .line(""), .line("c\r"), .line("d\re"),
            ])
        #expect(framer.pendingBytes == 0)
        #expect(!framer.hasPartialLine)
    }

    @Test(arguments: ["\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}", "\0"])
    func `Nothing but LF ends a line`(separator: String) {
        var framer = LineFramer()
        framer.append("a\(separator)b\n".utf8)
        #expect(framer.cuts() == [.line("a\(separator)b")])
    }

    @Test func `A CR that is split from its LF is dropped all the same`() {
        var framer = LineFramer()
        framer.append("ping\r".utf8)
        #expect(framer.cuts() == [])
        framer.append("\nping".utf8)
        #expect(framer.cuts() == [.line("ping")])
        #expect(framer.hasPartialLine)
    }

    @Test func `Every split into three reads gives the same lines`() {
        let text = Array("{\"a\":\"中🎬\"}\r\n\n\r\n# b\u{2028}\u{85}\r\r\nlast".utf8)
        let expected: [Cut] = [
            .line("{\"a\":\"中🎬\"}"), .line(""), .line(""), .line("# b\u{2028}\u{85}\r"),
            .last("last"),
        ]
        for first in 0...text.count {
            for second in first...text.count {
                let pieces = [text[..<first], text[first..<second], text[second...]]
                #expect(lines(pieces, limit: 64) == expected, "split at \(first), \(second)")
            }
        }
        #expect(lines(text.indices.map { text[$0...$0] }, limit: 64) == expected)
    }

    @Test func `Every split of lines that are too long gives the same lines`() {
        let text = Array("1234567\n12345678\nab\n123456789012345678901\r\n123456\r\ncd".utf8)
        let expected: [Cut] = [
            .line("1234567"), .tooLong, .line("ab"), .tooLong, .line("123456"), .last("cd"),
        ]
        for first in 0...text.count {
            for second in first...text.count {
                let pieces = [text[..<first], text[first..<second], text[second...]]
                #expect(lines(pieces, limit: 8) == expected, "split at \(first), \(second)")
            }
        }
        #expect(lines(text.indices.map { text[$0...$0] }, limit: 8) == expected)
    }

    @Test(arguments: [1, 4_096, 65_536])
    func `A line of exactly 65,536 bytes with its LF passes`(piece: Int) {
        let line = Array(repeating: UInt8(ascii: "x"), count: 65_535)
        let text = line + [0x0A]
        let pieces = stride(from: 0, to: text.count, by: piece).map {
            text[$0..<min($0 + piece, text.count)]
        }
        #expect(
            lines(pieces, limit: Limits.lineBytes) == [.line(String(decoding: line, as: UTF8.self))]
        )
    }

    @Test(arguments: [1, 4_096, 65_537])
    func `A line of one byte more is too long, once, and the next line works`(piece: Int) {
        let text = Array(repeating: UInt8(ascii: "x"), count: 65_536) + Array("\nping\n".utf8)
        let pieces = stride(from: 0, to: text.count, by: piece).map {
            text[$0..<min($0 + piece, text.count)]
        }
        #expect(lines(pieces, limit: Limits.lineBytes) == [.tooLong, .line("ping")])
    }

    @Test func `A line that is too long is reported before its end has come`() {
        var framer = LineFramer(limit: 8)
        framer.append("1234567".utf8)
        #expect(framer.cuts() == [])
        framer.append("8".utf8)
        #expect(framer.cuts() == [.tooLong])
        #expect(framer.hasPartialLine)
        framer.append("9\n".utf8)
        #expect(framer.cuts() == [])
        #expect(!framer.hasPartialLine)
    }

    @Test func `What is discarded is never kept`() {
        var framer = LineFramer()
        let piece = Array(repeating: UInt8(ascii: "x"), count: 4_096)
        var reports = 0
        for _ in 0..<1_000 {
            framer.append(piece.span)
            reports += framer.cuts().count
            #expect(framer.pendingBytes < Limits.lineBytes)
            #expect(framer.buffer.count <= Limits.lineBytes + piece.count)
        }
        #expect(reports == 1)
        #expect(framer.end() == [])
    }

    @Test func `The memory of a burst is given back, and what is pending is kept`() {
        var framer = LineFramer(limit: 64)
        framer.append(Array(repeating: UInt8(ascii: "\n"), count: 100_000).span)
        #expect(framer.cuts().count == 100_000)
        framer.append("ab".utf8)
        #expect(framer.buffer.capacity <= 2 * 64)
        framer.append("c\n".utf8)
        #expect(framer.cuts() == [.line("abc")])
    }

    @Test func `A line that trickles in byte by byte makes few allocations`() {
        var framer = LineFramer()
        var capacities: Set<Int> = []
        for _ in 0..<60_000 {
            framer.append([UInt8(ascii: "x")].span)
            _ = framer.next()
            capacities.insert(framer.buffer.capacity)
        }
        #expect(capacities.count < 24)
        #expect(framer.pendingBytes == 60_000)
    }

    @Test func `The end of the stream ends a last line, once`() {
        var framer = LineFramer()
        framer.append("a\nb".utf8)
        #expect(framer.cuts() == [.line("a")])
        #expect(framer.end() == [.last("b")])
        #expect(framer.end() == [])
        #expect(!framer.hasPartialLine)
    }

    @Test func `The end of the stream ends nothing where nothing was begun`() {
        var framer = LineFramer(limit: 4)
        #expect(framer.end() == [])
        framer.append("a\n".utf8)
        #expect(framer.cuts() == [.line("a")])
        #expect(framer.end() == [])
        framer.append("12345".utf8)
        #expect(framer.cuts() == [.tooLong])
        #expect(framer.end() == [])
    }
}
