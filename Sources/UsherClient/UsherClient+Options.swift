// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension UsherClient {
    /// Time-outs, and pauses between attempts to connect.
    public struct Options: Sendable {
        /// How long a request may take, waiting for a connection included.
        public var requestTimeout: Duration = .seconds(30)
        /// How long the daemon may take to greet, or to answer a subscription, before the
        /// connection is given up.
        public var greetingTimeout: Duration = .seconds(10)
        /// The longest pause before the first new attempt; it doubles with each attempt.
        ///
        /// The pause itself is random between nothing and that bound, so that many clients do not
        /// come back at once. When the daemon says how long to wait, that is done instead.
        public var reconnectBase: Duration = .milliseconds(100)
        /// Where the bound stops doubling, and how long a connection must have lasted for the bound
        /// to start anew.
        public var reconnectCap: Duration = .seconds(5)

        /// Draws a pause between nothing and a bound.
        var jitter: @Sendable (Duration) -> Duration = { $0 * Double.random(in: 0...1) }

        /// The defaults.
        public init() {}
    }
}
