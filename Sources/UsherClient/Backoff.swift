// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt to connect: full jitter under a bound that doubles.
///
/// The bound starts anew only after a connection that lasted, so that a daemon which greets and
/// hangs up is not besieged either.
struct Backoff {
    let base: Duration
    let cap: Duration
    let jitter: @Sendable (Duration) -> Duration
    private var failures = 0

    /// The longest pause that a daemon may ask for.
    static let longestRequestedPause: Duration = .seconds(60)
    /// Doublings after which the bound is beyond any cap.
    private static let doublings = 32

    init(_ options: UsherClient.Options) {
        base = options.reconnectBase
        cap = options.reconnectCap
        jitter = options.jitter
    }

    /// The pause after a connection that could not be made, or that ended after a while.
    ///
    /// What the daemon asked for is done, since it has made that different for each client.
    mutating func pause(afterConnectionOf lifetime: Duration, requested: Duration?) -> Duration {
        if lifetime >= cap { failures = 0 }
        let bound = min(cap, base * (1 << min(failures, Self.doublings)))
        failures += 1
        if let requested { return min(max(requested, .zero), Self.longestRequestedPause) }
        return jitter(bound)
    }
}
