// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How often a service is asked: a bucket holds some tokens, gets more at a steady rate, and each try takes one.
///
/// What is kept is the moment at which the bucket would be full again (the generic cell rate algorithm): no timer
/// refills it and no rounding adds up. Who finds it empty is given the next token to come, so that all who wait go one
/// after the other, in the order in which they came. Pure; moments are milliseconds of any clock that only grows.
struct TokenBucket: Sendable {
    /// Microseconds in which a token comes.
    private let interval: UInt64
    /// Microseconds in which all tokens but one come.
    private let depth: UInt64
    /// The moment, in microseconds, at which the bucket would be full again.
    private var full: UInt64 = 0
    /// The moment until which the service asked to be left alone.
    private(set) var pausedUntil: UInt64 = 0

    /// A full bucket: `rate` tokens come in a second, `burst` fit in.
    init(rate: Int, burst: Int) {
        interval = max(1, 1_000_000 / UInt64(max(1, rate)))
        depth = interval * UInt64(max(1, burst) - 1)
    }

    /// Milliseconds until there is a token for one more try.
    func wait(at now: UInt64) -> UInt64 {
        let ready = full > depth ? full - depth : 0
        let moment = now * 1_000
        return ready > moment ? (ready - moment + 999) / 1_000 : 0
    }

    /// Takes the token that is there after `wait(at:)`.
    mutating func take(at now: UInt64) {
        full = max(full, now * 1_000) + interval
    }

    /// Gives no token before a moment; after it they come one by one, so that those who waited do not arrive together.
    mutating func pause(until moment: UInt64) {
        pausedUntil = max(pausedUntil, moment)
        full = max(full, moment * 1_000 + depth)
    }
}
