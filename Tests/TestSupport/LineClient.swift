// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A plain Unix socket and nothing else, as any program has it: bytes out, lines in, both blocking.
///
/// Reads and writes give up after `timeout` seconds, so that a test fails instead of hanging. Not thread-safe.
@safe
package final class LineClient {
    package let descriptor: Int32
    private var received: [UInt8] = []
    /// The first byte of ``received`` that was not given out.
    private var first = 0
    /// Bytes of the longest line that was given out, its LF included.
    package private(set) var longestLine = 0
    /// What must not end before this does.
    private let peer: AnyObject?
    /// How many bytes are read at once.
    private let receiveSize: Int

    package init(
        path: String, keeping peer: AnyObject? = nil, timeout: Int = 30,
        receiveBuffer: Int32? = nil, receiveSize: Int = 65_536
    ) throws {
        self.peer = peer
        self.receiveSize = receiveSize
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer {
            unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var time = timeval(tv_sec: timeout, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
        guard unsafe withSocketAddress(path, { unsafe Glibc.connect(descriptor, $0, $1) }) == 0
        else {
            let error = errno
            close()
            throw TestFailure("connect \(path): \(unsafe String(cString: strerror(error)))")
        }
    }

    deinit {
        close()
    }

    private var isClosed = false

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        _ = Glibc.close(descriptor)
    }

    /// Sends bytes as they are.
    package func send(bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestFailure("send: errno \(errno)") }
            sent += count
        }
    }

    /// Sends lines, each with its LF.
    package func send(_ lines: String...) throws {
        try send(bytes: lines.map { $0 + "\n" }.joined().utf8)
    }

    /// Tells the peer that nothing more comes.
    package func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The next line without its LF; nil at the end of the stream.
    package func line() throws -> String? {
        while true {
            if let length = firstLine {
                let line = String(decoding: received[first..<first + length], as: UTF8.self)
                first += length + 1
                longestLine = max(longestLine, length + 1)
                return line
            }
            guard try receive() else {
                guard first == received.count else {
                    throw TestFailure("the stream ended within a line")
                }
                return nil
            }
        }
    }

    /// How many bytes the first line has that is there whole.
    private var firstLine: Int? {
        let start = first
        return unsafe received.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, start < bytes.count else { return nil }
            let end = unsafe memchr(base + start, 0x0A, bytes.count - start)
            return unsafe end.map { unsafe UnsafeRawPointer($0) - base - start }
        }
    }

    /// The next line as JSON.
    package func json() throws -> JSON {
        guard let line = try line() else { throw TestFailure("the stream ended") }
        return try JSON(parsing: line)
    }

    /// All bytes that come until the stream ends.
    package func allBytes() throws -> [UInt8] {
        while try receive() {}
        defer { first = received.count }
        return Array(received[first...])
    }

    /// Whether something can be read now, a line or the end of the stream.
    package var isReadable: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let isReady = unsafe poll(&state, 1, 0) == 1
        return isReady || firstLine != nil
    }

    /// Waits until the peer has read all that was sent, so that what is sent next comes to it by itself.
    package func waitUntilRead() throws {
        var unread: Int32 = 0
        repeat {
            guard unsafe ioctl(descriptor, UInt(TIOCOUTQ), &unread) == 0 else {
                throw TestFailure("ioctl: errno \(errno)")
            }
            sched_yield()
        } while unread > 0
    }

    /// The next lines, until the stream ends.
    package func allLines() throws -> [String] {
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        return lines
    }

    /// Sends a line and gives the next one that comes.
    package func ask(_ line: String) throws -> JSON {
        try send(line)
        return try json()
    }

    private func receive() throws -> Bool {
        received.removeSubrange(..<first)
        first = 0
        var buffer = [UInt8](repeating: 0, count: receiveSize)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw TestFailure("receive: errno \(errno)") }
        received += buffer[..<count]
        return count > 0
    }
}
