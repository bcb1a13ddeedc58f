// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherEventLoop
import UsherWire

/// A request for the peer's own user and nothing else, recognised without a parser.
///
/// It is what programs ask most, and its answer is kept encoded, so that parsing and dispatching would be nearly all of
/// its cost: they take six times as many instructions as this. Only what is certain is recognised: one object without
/// escapes, of the members that a request has, each at most once. Everything else, right or wrong, is left to
/// ``RequestBinder``, which gives these lines the same meaning.
struct UserRead {
    /// Where the request's id stands in the line, with its quotes if it is a string.
    let id: Range<Int>

    init?(_ line: Span<UInt8>) {
        var scanner = Scanner()
        var id: Range<Int>?
        var hasMethod = false
        var hasVersion = false
        guard scanner.skip(UInt8(ascii: "{"), in: line) else { return nil }
        repeat {
            guard let key = scanner.word(of: line), scanner.skip(UInt8(ascii: ":"), in: line) else {
                return nil
            }
            switch key {
            case Self.jsonrpc where !hasVersion && scanner.word(of: line) == Self.version:
                hasVersion = true
            case Self.method where !hasMethod && scanner.word(of: line) == Self.userGet:
                hasMethod = true
            case Self.id where id == nil:
                id = scanner.id(of: line)
                if id == nil { return nil }
            default: return nil
            }
        } while scanner.skip(UInt8(ascii: ","), in: line)
        guard scanner.skip(UInt8(ascii: "}"), in: line), scanner.position == line.count, hasMethod,
            let id
        else {
            return nil
        }
        self.id = id
    }

    fileprivate init(id: Range<Int>) { self.id = id }

    /// Writes the answer, of which all but the id is known.
    func answer(with tail: [UInt8], in line: Span<UInt8>, to output: inout OutputBuffer) {
        output.append(JSONWriter.answerHead)
        output.append(line.extracting(id))
        output.append(tail)
    }

    // Texts of at most eight bytes as one number each, so that a text is compared at once.
    private static let jsonrpc: UInt64 = 0x6A_736F_6E72_7063
    private static let version: UInt64 = 0x32_2E30
    private static let method: UInt64 = 0x6D65_7468_6F64
    private static let id: UInt64 = 0x6964
    private static let userGet: UInt64 = 0x7573_6572_2E67_6574
}

/// What one connection's reads of its own user look like: a program sends one line over and over, with other ids.
///
/// Comparing a line with the last one takes a third of the instructions of scanning it.
struct KnownUserRead {
    // The last line that was recognised, before its id and after it; empty before the first one.
    private var head: [UInt8] = []
    private var tail: [UInt8] = []

    /// The longest line that is remembered, in bytes: a few blanks more than such a line needs.
    private static let longest = 256

    /// Recognises a line, and remembers it.
    mutating func recognise(_ line: Span<UInt8>) -> UserRead? {
        if let id = idInPlace(of: line) { return UserRead(id: id) }
        guard let read = UserRead(line) else { return nil }
        if line.count <= Self.longest {
            head = unsafe line.extracting(..<read.id.lowerBound).withUnsafeBytes {
                unsafe Array($0)
            }
            tail = unsafe line.extracting(read.id.upperBound...).withUnsafeBytes {
                unsafe Array($0)
            }
        }
        return read
    }

    /// Where the id stands in a line that is the last one but for its id.
    private func idInPlace(of line: Span<UInt8>) -> Range<Int>? {
        let end = line.count - tail.count
        guard !head.isEmpty, head.count < end, line.extracting(..<head.count).holds(head),
            line.extracting(end...).holds(tail)
        else { return nil }
        var scanner = Scanner(position: head.count)
        guard let id = scanner.id(of: line), id.upperBound == end else { return nil }
        return id
    }
}

extension Span<UInt8> {
    /// Whether these are the bytes of an array of the same length.
    fileprivate func holds(_ bytes: [UInt8]) -> Bool {
        unsafe withUnsafeBytes { own in
            unsafe bytes.withUnsafeBytes { other in
                guard let left = own.baseAddress, let right = other.baseAddress else { return true }
                return unsafe memcmp(left, right, own.count) == 0
            }
        }
    }
}

/// Reads the tokens of a line from left to right.
private struct Scanner {
    private(set) var position = 0

    /// Passes a byte and the blanks around it; false if another one is next.
    mutating func skip(_ byte: UInt8, in line: Span<UInt8>) -> Bool {
        skipBlanks(of: line)
        guard position < line.count, line[position] == byte else { return false }
        position += 1
        skipBlanks(of: line)
        return true
    }

    private mutating func skipBlanks(of line: Span<UInt8>) {
        while position < line.count, line[position] == 0x20 { position += 1 }
    }

    /// A string of at most eight bytes as a number, the first byte the highest; nil if it is anything else.
    mutating func word(of line: Span<UInt8>) -> UInt64? {
        guard position < line.count, line[position] == UInt8(ascii: "\"") else { return nil }
        var word: UInt64 = 0
        for index in position + 1..<min(position + 10, line.count) {
            let byte = line[index]
            if byte == UInt8(ascii: "\"") {
                position = index + 1
                return word
            }
            // A leading NUL would not show in the number.
            guard byte > 0x20 else { return nil }
            word = word << 8 | UInt64(byte)
        }
        return nil
    }

    /// An id that needs no closer look: digits, or a string of visible ASCII without escapes.
    mutating func id(of line: Span<UInt8>) -> Range<Int>? {
        let start = position
        guard position < line.count else { return nil }
        if line[position] == UInt8(ascii: "\"") {
            position += 1
            while position < line.count, line[position] != UInt8(ascii: "\"") {
                guard (0x20..<0x7F).contains(line[position]), line[position] != UInt8(ascii: "\\")
                else { return nil }
                position += 1
            }
            position += 1
            guard position <= line.count, position - start - 2 <= Limits.idBytes else {
                return nil
            }
        } else {
            guard line[position] != UInt8(ascii: "0") else { return nil }
            while position < line.count, (0x30...0x39).contains(line[position]) { position += 1 }
            guard (1...Self.safeDigits).contains(position - start) else { return nil }
        }
        return start..<position
    }

    /// Digits that are within 2^53 whatever they are.
    private static let safeDigits = 15
}
