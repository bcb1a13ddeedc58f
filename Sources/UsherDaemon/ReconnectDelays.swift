// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How long each peer is asked to wait before it connects again, so that they do not all come at once.
///
/// Every delay of the range is given once before any is given again, and any few in a row are far apart.
struct ReconnectDelays {
    /// The first 0.1 s is for the next daemon to start, the two seconds after it for the peers.
    static let milliseconds = 100...2_100
    /// About the golden part of how many delays there are, and without a common divisor with it.
    private static let stride = 1_237

    private var position: Int

    init(using random: inout some RandomNumberGenerator) {
        position = Int.random(in: 0..<Self.milliseconds.count, using: &random)
    }

    mutating func next() -> Int {
        position = (position + Self.stride) % Self.milliseconds.count
        return Self.milliseconds.lowerBound + position
    }
}
