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
        buffer.append(addingCapacity: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
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
            let hasReturn = end > first && buffer[end - 1] == 0x0D
            return .line(first..<(hasReturn ? end - 1 : end))
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

    private func firstLineFeed() -> Int? {
        let bytes = buffer.span
        var index = searched
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
