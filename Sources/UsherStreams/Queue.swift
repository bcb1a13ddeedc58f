// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// First in, first out, in a ring that grows: constant time at both ends.
@usableFromInline
struct Queue<Element: Sendable>: Sendable {
    /// A ring larger than this is given back when the queue runs empty, so that one burst is not
    /// paid for for ever.
    @usableFromInline static var keptCapacity: Int { 1024 }

    /// Its count is zero or a power of two, so that a position wraps with a mask.
    @usableFromInline var ring: [Element?] = []
    @usableFromInline var head = 0
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ element: Element) {
        if count == ring.count { grow() }
        ring[(head &+ count) & (ring.count &- 1)] = element
        count &+= 1
    }

    @inlinable
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        var first: Element?
        swap(&first, &ring[head])
        head = (head &+ 1) & (ring.count &- 1)
        count &-= 1
        if count == 0, ring.count > Self.keptCapacity { self = Self() }
        return first
    }

    @inlinable
    mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(max(4, ring.count * 2))
        larger += ring[head...]
        larger += ring[..<head]
        larger += repeatElement(nil, count: max(4, ring.count))
        ring = larger
        head = 0
    }
}
