// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Every limit of the requests to one service, with its default.
package struct HTTPLimits: Sendable, Hashable {
    /// Milliseconds until a connection is made, name look-up and TLS included.
    package var connectMilliseconds = 5_000
    /// Milliseconds for one try, from its start to the answer's last byte.
    package var tryMilliseconds = 10_000
    /// Milliseconds for a request as a whole: its turn, its tries, and the waits between them.
    package var deadlineMilliseconds = 20_000
    /// Bytes of an answer's body, compressed as well as decompressed.
    package var bodyBytes = 2 * 1_024 * 1_024
    /// Bytes of an answer's headers.
    package var headerBytes = 64 * 1_024
    /// Milliseconds that a service may ask to wait; longer wishes are cut to this.
    package var retryAfterMilliseconds = 60_000
    /// Connections at a time, to all hosts; further requests wait.
    package var connections = 8
    /// When a try that failed is followed by another.
    package var retry = RetryPolicy()
    /// Tries a second in the long run.
    ///
    /// With the burst at most twice as many come in a second: TMDB bears about forty, from one address.
    package var rate = 20
    /// Tries that may be made at once after a time without any; then they come at the rate.
    package var burst = 20
    /// When a service that fails is left alone.
    package var circuit = CircuitPolicy()
    /// Milliseconds for which the service is not asked again for what it does not have.
    package var missingMilliseconds = 10_000
    /// Things that a service does not have that are remembered at a time.
    package var missingEntries = 256
    /// Bytes of answers that are kept, to be used again when the service says that they still hold.
    package var keptBytes = 1_024 * 1_024
    /// Answers that are kept at a time; TMDB's are of about 14 KB.
    package var keptEntries = 64

    package init() {}
}
