// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Bytes on their way out. Everything that the daemon says is appended to one of these, so appending
// is inlined into its callers and touches no reference count. The memory comes from a pool shared
// by a loop's connections and goes back as soon as it was sent: an idle connection holds none, and
// a burst's memory does not stay with the connection.
//
// It is public, although no product shows this target: the compiler (6.3) inlines and specializes
// across modules only what is public, and a line of eight appends then takes 29 ns instead of 340.

internal import Glibc

/// A growing buffer of bytes to send.
@safe
public struct OutputBuffer: ~Copyable {
    @usableFromInline var base: UnsafeMutablePointer<UInt8>?
    @usableFromInline var capacity = 0
    @usableFromInline var used = 0
    private let pool: OutputPool?

    /// Makes an empty buffer that belongs to no connection, such as one for a test or for a text
    /// sent many times.
    public init() {
        self.init(pool: nil)
    }

    init(pool: OutputPool?) {
        unsafe base = nil
        self.pool = pool
    }

    deinit {
        unsafe free(base)
    }

    /// How many bytes wait here.
    @inlinable public var count: Int { used }

    /// Whether nothing waits here.
    @inlinable public var isEmpty: Bool { used == 0 }

    /// Appends one byte.
    @inlinable public mutating func append(_ byte: UInt8) {
        unsafe room(for: 1).pointee = byte
        used &+= 1
    }

    /// Appends the bytes of a region of memory.
    @inlinable public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let size = bytes.count
        guard size > 0, let source = bytes.baseAddress else { return }
        unsafe UnsafeMutableRawPointer(room(for: size)).copyMemory(from: source, byteCount: size)
        used &+= size
    }

    /// Appends the bytes of a span.
    @inlinable public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    /// Appends the bytes of an array.
    @inlinable public mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    /// Appends text known at compile time; a string literal means this one.
    @inlinable public mutating func append(_ text: StaticString) {
        unsafe append(
            UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a string's UTF-8.
    @_disfavoredOverload
    @inlinable public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in unsafe append(UnsafeRawBufferPointer(utf8)) }
    }

    /// Appends bytes one by one.
    @inlinable public mutating func append(contentsOf bytes: some Sequence<UInt8>) {
        for byte in bytes { append(byte) }
    }

    /// Appends an integer's decimal digits, with a minus sign if it is negative.
    @inlinable public mutating func append(decimal value: some FixedWidthInteger) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digitsOf: UInt64(value.magnitude))
    }

    @usableFromInline mutating func append(digitsOf value: UInt64) {
        var size = 1
        var bound: UInt64 = 10
        while size < 20, value >= bound {
            size += 1
            // The last bound, 10 to the 20th, is past 64 bits, and not looked at.
            bound = bound &* 10
        }
        let start = unsafe room(for: size)
        var rest = value
        for index in stride(from: size - 1, through: 0, by: -1) {
            unsafe start[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        used += size
    }

    /// Forgets what was appended after the first `count` bytes: takes back a line that was begun.
    public mutating func truncate(to count: Int) {
        precondition((0...used).contains(count), "an OutputBuffer is only ever cut short")
        used = count
    }

    /// Empties the buffer and gives its memory back.
    public mutating func removeAll() {
        if let pool, let base = unsafe base {
            unsafe pool.give(base, capacity: capacity)
        } else {
            unsafe free(base)
        }
        unsafe base = nil
        capacity = 0
        used = 0
    }

    /// Lends the bytes.
    public func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try unsafe body(UnsafeBufferPointer(start: base, count: used).span)
    }

    /// The place for `size` more bytes.
    @inline(__always)
    @usableFromInline mutating func room(for size: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity &- used < size { grow(by: size) }
        return unsafe base.unsafelyUnwrapped + used
    }

    @inline(never)
    @usableFromInline mutating func grow(by size: Int) {
        let needed = used + size
        if capacity == 0, let spare = unsafe pool?.take() {
            unsafe base = spare.base
            unsafe capacity = spare.capacity
            if capacity >= needed { return }
        }
        var larger = max(capacity * 2, OutputPool.smallest)
        while larger < needed { larger *= 2 }
        guard let memory = unsafe realloc(base, larger) else { fatalError("out of memory") }
        unsafe base = memory.assumingMemoryBound(to: UInt8.self)
        capacity = larger
    }
}
