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
    /// User records whose text was not valid UTF-8 and was repaired.
    package var repairedRecords = 0

    package init() {}
}
