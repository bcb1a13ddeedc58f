// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Every limit of HTTP requests, with its default.
package struct HTTPLimits: Sendable, Hashable {
    /// Milliseconds until a connection is made, name look-up and TLS included.
    package var connectMilliseconds = 5_000
    /// Milliseconds for one request from start to the answer's last byte.
    package var totalMilliseconds = 20_000
    /// Bytes of an answer's body, compressed as well as decompressed.
    package var bodyBytes = 2 * 1_024 * 1_024
    /// Bytes of an answer's headers.
    package var headerBytes = 64 * 1_024
    /// Milliseconds that a service may ask to wait; longer wishes are cut to this.
    package var retryAfterMilliseconds = 60_000
    /// Connections at a time, to all hosts; further requests wait.
    package var connections = 8

    package init() {}
}
