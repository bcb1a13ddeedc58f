// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The sending half of a connection: lines that the system has not taken yet.
///
/// Requests stay in their queue while a daemon does not read, so this stays small.
struct Output: Sendable {
    var socket: Socket?
    private var bytes: [UInt8] = []
    private var sent = 0

    /// Unsent bytes from which on no further request is added.
    static let highWater = 65_536

    var isEmpty: Bool { bytes.isEmpty }
    var unsentBytes: Int { bytes.count - sent }
    var hasRoom: Bool { unsentBytes < Self.highWater }

    mutating func append(_ line: [UInt8]) {
        bytes += line
    }

    /// Sends as much as the system takes; an error shows when the thread reads.
    mutating func flush() {
        guard let socket, !bytes.isEmpty else { return }
        while sent < bytes.count {
            guard let count = try? socket.send(bytes, from: sent), count > 0 else { return }
            sent += count
        }
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.highWater)
        sent = 0
    }
}
