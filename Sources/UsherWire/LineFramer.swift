// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Cuts a stream of bytes into lines, before anything looks inside them.
///
/// A line ends at LF and only there; one CR before it is dropped. A line longer than the limit is reported once and
/// discarded as it arrives, never stored. The framer works on bytes because text APIs break lines elsewhere: in Swift
/// `\r\n` is one Character, and newline sets contain U+2028 and U+0085.
package struct LineFramer: Sendable {
    /// What the next bytes of the stream are.
    package enum Item: Sendable, Equatable {
        /// A whole line without its end: bytes `range` of ``buffer``, good until the next call.
        case line(Range<Int>)
        /// A line passed the limit.
        ///
        /// Its bytes are gone, or go as they arrive.
        case tooLong
    }

    /// The longest line with its LF.
    package let limit: Int
    /// What was received and not yet cut; lines are ranges of it.
    package private(set) var buffer: [UInt8] = []
    /// The first byte that was not yet given out.
    private var start = 0
    /// How far the search for LF has come.
    private var searched = 0
    /// Whether the rest of a line that was too long is still arriving.
    private var isDiscarding = false

    package init(limit: Int = Limits.lineBytes) {
        self.limit = limit
    }

    /// How many bytes wait to be cut or completed.
    package var pendingBytes: Int { buffer.count - start }

    /// Whether a line was begun and has not ended.
    package var hasPartialLine: Bool { pendingBytes > 0 || isDiscarding }

    package mutating func append(_ bytes: Span<UInt8>) {
        compact()
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        compact()
        buffer.append(contentsOf: bytes)
    }

    /// The next line, or nil when more bytes are needed.
    package mutating func next() -> Item? {
        while true {
            guard let end = firstLineFeed() else {
                searched = buffer.count
                if isDiscarding {
                    start = buffer.count
                    return nil
                }
                guard pendingBytes >= limit else { return nil }
                isDiscarding = true
                start = buffer.count
                return .tooLong
            }
            let first = start
            start = end + 1
            searched = start
            if isDiscarding {
                isDiscarding = false
                continue
            }
            if start - first > limit { return .tooLong }
            return .line(first..<textEnd(of: first..<end))
        }
    }

    /// The last line, which the end of the stream ended instead of an LF; nil if there was none.
    package mutating func finish() -> Range<Int>? {
        guard !isDiscarding, pendingBytes > 0 else { return nil }
        let range = start..<buffer.count
        start = buffer.count
        searched = start
        return range
    }

    /// Cuts off whole lines of the allowed length for as long as `take` says that it has dealt with one.
    ///
    /// The line that it does not want, and whatever is no such line, stays for ``next()``.
    package mutating func cut(while take: (Span<UInt8>) -> Bool) {
        while !isDiscarding, let end = firstLineFeed(), end - start < limit {
            let isTaken = take(buffer.span.extracting(start..<textEnd(of: start..<end)))
            searched = isTaken ? end + 1 : end
            guard isTaken else { return }
            start = end + 1
        }
    }

    /// Where a line's text ends, before the CR that may stand before its LF.
    private func textEnd(of line: Range<Int>) -> Int {
        let hasReturn = !line.isEmpty && buffer[line.upperBound - 1] == 0x0D
        return hasReturn ? line.upperBound - 1 : line.upperBound
    }

    /// Looks at eight bytes at a time: of a line that is answered from memory, this search was a tenth of the cost.
    private func firstLineFeed() -> Int? {
        let bytes = buffer.span
        let words = unsafe bytes.bytes
        let lastWord = bytes.count - 8
        var index = searched
        while index <= lastWord {
            let word = unsafe words.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index, as: UInt64.self)
            // Where a byte is LF it is 0 now, and the highest bit of the first 0 is what borrowing leaves.
            let difference = UInt64(littleEndian: word) ^ 0x0A0A_0A0A_0A0A_0A0A
            let zeros = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
            if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < bytes.count {
            if bytes[index] == 0x0A { return index }
            index += 1
        }
        return nil
    }

    /// Moves what is pending to the front; memory that a burst left behind is given back.
    private mutating func compact() {
        guard start > 0 else { return }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= limit * 2)
        } else {
            buffer.removeSubrange(0..<start)
        }
        searched -= start
        start = 0
    }
}
