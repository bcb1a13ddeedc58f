// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Both, because either may be the one that owns the C structures which they share.
import CUsherUV
import Glibc
import TestSupport
import Testing

@testable import UsherEventLoop

/// The other end of a connection: a plain non-blocking socket.
final class Peer {
    private(set) var descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close()
    }

    /// Makes a socket pair, one end for a connection.
    ///
    /// A packet socket keeps what one write sent together, and apart from the next.
    static func pair(ofPackets: Bool = false) throws -> (Int32, Peer) {
        var ends: [Int32] = [-1, -1]
        let kind = ofPackets ? SOCK_SEQPACKET : SOCK_STREAM
        try #require(
            unsafe socketpair(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return (ends[0], Peer(descriptor: ends[1]))
    }

    /// Makes a connection on `loop` and its peer.
    static func connected(
        on loop: EventLoop, byPackets: Bool = false
    ) throws -> (Connection, Peer) {
        let (end, peer) = try pair(ofPackets: byPackets)
        return (try Connection(on: loop, adopting: end), peer)
    }

    /// Connects to a socket path; returns nil when refused.
    convenience init?(connectingTo path: String) {
        guard let descriptor = try? connectedSocket(to: path) else { return nil }
        self.init(descriptor: descriptor)
    }

    /// Writes what the socket takes and returns how much that was.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        max(0, unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    @discardableResult
    func send(_ text: String) -> Int {
        send(Array(text.utf8))
    }

    /// What one read brings: bytes, an empty array at the end, nil if nothing is there.
    func receive(upTo size: Int = 1 << 20) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        let received = unsafe read(descriptor, &bytes, size)
        if received < 0 {
            if errno == EAGAIN { return nil }
            throw LoopError("read", code: errno)
        }
        return Array(bytes.prefix(received))
    }

    /// Everything up to the end or to where reading would block.
    func receiveAll() throws -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = try receive(), !bytes.isEmpty { all += bytes }
        return all
    }

    func receiveText() throws -> String {
        String(decoding: try receiveAll(), as: UTF8.self)
    }

    func endWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }
}
