// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// What was asked of a service since it was made, and how that went.
package struct UpstreamCounters: Sendable, Hashable {
    /// HTTP requests by the status of their answer; 0 counts those without one.
    package var requests: [Int: Int] = [:]
    /// How many of the requests were further tries.
    package var retries = 0
    /// Bytes of answers, decompressed.
    package var bodyBytes = 0
    /// Rows of movie pages that made no sense or were too large.
    package var droppedRows = 0
    /// Members of rows and records that were left out or taken though they are odd.
    package var repairedFields = 0
    /// Answers that were used again since the service said that they still hold.
    package var unchanged = 0
    /// Requests that were not sent since the service had no such thing a moment ago.
    package var remembered = 0
    /// Requests, or further tries of them, that waited for their turn.
    package var delayed = 0
    /// Requests that were given up since their turn would have come too late.
    package var crowdedOut = 0
    /// Requests that were given up at their deadline.
    package var expired = 0
    /// Whether and how often the service is left alone.
    package var circuit = CircuitBreaker.Counters()
    /// User records whose text was not valid UTF-8 and was repaired.
    package var repairedRecords = 0

    package init() {}
}
