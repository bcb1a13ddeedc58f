// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The output memory that a loop's connections share, handed out most recently used first.
@safe
final class OutputPool {
    private var spares: [(base: UnsafeMutablePointer<UInt8>, capacity: Int)] = unsafe []
    private(set) var held = 0

    /// What a buffer begins with.
    static let smallest = 4 * 1024
    /// The most memory kept for later; beyond it, what comes back is freed.
    static let heldLimit = 4 * 1024 * 1024
    /// Larger pieces are freed at once: few of them would fill the pool.
    static let largestKept = 256 * 1024

    deinit {
        unsafe spares.forEach { unsafe free($0.base) }
    }

    func take() -> (base: UnsafeMutablePointer<UInt8>, capacity: Int)? {
        guard let spare = unsafe spares.popLast() else { return nil }
        unsafe held -= spare.capacity
        return unsafe spare
    }

    func give(_ base: UnsafeMutablePointer<UInt8>, capacity: Int) {
        guard capacity <= Self.largestKept, held + capacity <= Self.heldLimit else {
            unsafe free(base)
            return
        }
        held += capacity
        unsafe spares.append((base, capacity))
    }
}
