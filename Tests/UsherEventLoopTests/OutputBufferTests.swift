// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherEventLoop

@Suite struct OutputBufferTests {
    @Test func `Every way to append adds its bytes`() {
        var buffer = OutputBuffer()
        buffer.append(UInt8(ascii: "a"))
        buffer.append([98, 99])
        buffer.append([UInt8]("de".utf8).span)
        buffer.append("f\n")
        let text = "grüße 👋"
        buffer.append(text)
        buffer.append(contentsOf: "!!".utf8)
        #expect(contents(of: buffer) == "abcdef\ngrüße 👋!!")
    }

    @Test(arguments: [
        0, 1, 9, 10, 99, 100, 12_345, -1, -10, Int.max, Int.min, 999_999_999_999_999_999,
        1_000_000_000_000_000_000,
    ])
    func `An integer becomes its decimal digits`(_ value: Int) {
        var buffer = OutputBuffer()
        buffer.append(decimal: value)
        #expect(contents(of: buffer) == "\(value)")
    }

    @Test func `The widest unsigned integer fits`() {
        var buffer = OutputBuffer()
        buffer.append(decimal: UInt64.max)
        buffer.append(decimal: UInt8.max)
        #expect(contents(of: buffer) == "18446744073709551615255")
    }

    @Test func `Nothing may be appended first`() {
        var buffer = OutputBuffer()
        buffer.append([])
        buffer.append([UInt8]().span)
        #expect(bytes(of: buffer) == [])
        buffer.append([1])
        #expect(bytes(of: buffer) == [1])
    }

    @Test func `A buffer grows past any size it had`() {
        var buffer = OutputBuffer()
        var expected: [UInt8] = []
        for size in [1, 4_095, 4_096, 4_097, 100_000, 0, 3] {
            let piece = pattern(size)
            buffer.append(piece)
            expected += piece
        }
        #expect(bytes(of: buffer) == expected)
        #expect(buffer.count == expected.count)
    }

    @Test func `A line that was begun can be taken back`() {
        var buffer = OutputBuffer()
        buffer.append("whole\n")
        let mark = buffer.count
        buffer.append("ha")
        buffer.truncate(to: mark)
        buffer.append("next\n")
        #expect(contents(of: buffer) == "whole\nnext\n")
    }

    @Test func `An emptied buffer gives its memory to the pool, and the next one takes it`() {
        let pool = OutputPool()
        var first = OutputBuffer(pool: pool)
        first.append("x")
        let memory = unsafe first.base
        first.removeAll()
        let (isEmpty, capacity) = (first.isEmpty, first.capacity)
        #expect(isEmpty && capacity == 0)
        var second = OutputBuffer(pool: pool)
        second.append("y")
        let isReused = unsafe second.base == memory
        #expect(isReused)
        #expect(contents(of: second) == "y")
    }

    @Test func `The memory of a burst does not stay`() {
        let pool = OutputPool()
        var buffer = OutputBuffer(pool: pool)
        buffer.append(pattern(2 << 20))
        buffer.removeAll()
        #expect(pool.held == 0)
        for _ in 0..<100 {
            var buffers = [Holder(pool), Holder(pool)]
            for holder in buffers { holder.buffer.append(pattern(200_000)) }
            for holder in buffers { holder.buffer.removeAll() }
            buffers = []
        }
        #expect(pool.held > 0)
        #expect(pool.held <= OutputPool.heldLimit)
    }
}

private final class Holder {
    var buffer: OutputBuffer
    init(_ pool: OutputPool) { buffer = OutputBuffer(pool: pool) }
}

private func bytes(of buffer: borrowing OutputBuffer) -> [UInt8] {
    buffer.withBytes { span in span.indices.map { span[$0] } }
}

private func contents(of buffer: borrowing OutputBuffer) -> String {
    String(decoding: bytes(of: buffer), as: UTF8.self)
}
