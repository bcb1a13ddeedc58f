// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// The peer's end of a connection, and the bytes that the kernel holds between the two ends.
///
/// What the peer sends arrives in the pieces that it is sent in: one read of the daemon takes one of them.
package final class PeerSocket {
    package let descriptor: Int32
    /// How many bytes the kernel holds for the peer before the daemon's writes find no room.
    package var capacity: Int
    /// Whether the peer has shut its writing side.
    package private(set) var hasEnded = false
    /// Whether the peer has closed its end.
    package private(set) var isGone = false
    /// Whether the daemon has shut its writing side: after the bytes that are here comes the end.
    package private(set) var isEnding = false
    /// Whether the daemon closed with input unread, which the peer sees as a reset.
    package private(set) var wasReset = false
    /// Whether the daemon had more to say when it closed.
    package private(set) var isCutShort = false
    /// How many bytes the daemon has read and looked at.
    package private(set) var readBytes = 0

    /// On their way to the daemon.
    private(set) var arriving: [[UInt8]] = []
    /// On their way to the peer.
    private var departing: [UInt8] = []
    /// Why the daemon's next read fails.
    private(set) var failure: Int32?

    package init(descriptor: Int32, capacity: Int, _ credentials: PeerCredentials) {
        self.descriptor = descriptor
        self.capacity = capacity
        Kernel.credentials.withLock { $0[descriptor] = credentials }
    }

    // MARK: The peer's side

    /// Sends bytes that the daemon will get with one read.
    package func send(_ piece: [UInt8]) {
        guard !piece.isEmpty, !isClosedByDaemon else { return }
        arriving.append(piece)
    }

    package func shutWriting() { hasEnded = true }

    /// Closes; with a reset if something for the peer was unread, as the kernel does.
    package func close() {
        isGone = true
        hasEnded = true
        if !departing.isEmpty {
            failure = ECONNRESET
            arriving = []
        }
        departing = []
    }

    /// How many bytes the peer could read now.
    package var availableBytes: Int { departing.count }

    package func read(_ count: Int) -> [UInt8] {
        let bytes = Array(departing.prefix(count))
        departing.removeFirst(bytes.count)
        return bytes
    }

    /// Whether the peer has read all there will ever be.
    package var isAtEnd: Bool { isEnding && departing.isEmpty }

    /// Whether the daemon has all that was sent.
    package var isDelivered: Bool { arriving.isEmpty }

    // MARK: The daemon's side

    private(set) var isClosedByDaemon = false

    var room: Int { max(0, capacity - departing.count) }

    var heldBytes: Int { departing.count }

    func takePiece(isLookedAt: Bool) -> [UInt8] {
        let piece = arriving.removeFirst()
        if isLookedAt { readBytes += piece.count }
        return piece
    }

    func write(_ byte: UInt8) { departing.append(byte) }

    /// The daemon shuts its writing side.
    func end() { isEnding = true }

    func discardInput() { arriving = [] }

    func cutShort() { isCutShort = true }

    /// The daemon closes, or ends as a process.
    func abandon() {
        guard !isClosedByDaemon else { return }
        isClosedByDaemon = true
        isEnding = true
        if !arriving.isEmpty { wasReset = true }
        arriving = []
        Kernel.credentials.withLock { $0[descriptor] = nil }
    }
}
