// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How often and when a request that failed is tried again.
package struct RetryPolicy: Sendable, Hashable {
    /// Further tries after the first.
    package var retries = 3
    /// The longest wait before the first further try; each next one may take twice as long.
    package var firstDelayMilliseconds: UInt64 = 500
    /// The longest wait, what the service asks for not counted.
    package var longestDelayMilliseconds: UInt64 = 8_000

    package init() {}

    /// Decides how long to wait after the `failures`th failure, or that it was the last.
    ///
    /// The wait is drawn evenly from zero to a bound that doubles, so that many who failed together
    /// do not come back together; what the service asked for comes on top, since it is the earliest
    /// moment that makes sense.
    func delay(
        after error: UpstreamError, failures: Int, random: (ClosedRange<UInt64>) -> UInt64
    ) -> UInt64? {
        guard error.isRetryable, failures <= retries else { return nil }
        let doublings = min(failures - 1, 32)
        let bound = min(firstDelayMilliseconds << UInt64(doublings), longestDelayMilliseconds)
        return UInt64(max(0, error.retryAfterMilliseconds ?? 0)) + random(0...bound)
    }
}
