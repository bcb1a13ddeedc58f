// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// All calls of the system: the rest of the client has no pointer and no descriptor. Nothing in here
// waits, except
// `Readiness.wait`.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One connected Unix socket; closed when the last reference goes.
final class Socket: Sendable {
    fileprivate let descriptor: Int32

    /// Bytes of the longest path that a socket's address holds.
    static let pathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    /// Bytes taken in by one call.
    static let receiveBytes = 65_536

    /// Connects at once or not at all.
    ///
    /// A daemon whose queue of connections is full counts as a failure (EAGAIN), since waiting for
    /// it could take for ever.
    init(connectingTo path: String) throws(POSIXError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count <= Self.pathBytes else { throw POSIXError(.ENAMETOOLONG) }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            unsafe buffer.copyBytes(from: path.utf8)
        }
        descriptor = socket(AF_UNIX, Self.streamType, 0)
        guard descriptor >= 0 else { throw POSIXError.last }
        configure(descriptor)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let outcome = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, length)
            }
        }
        // Thrown by a complete object: its deinitializer closes the descriptor.
        guard outcome == 0 else { throw POSIXError.last }
    }

    deinit {
        Foundation.close(descriptor)
    }

    /// Sends what the system takes of the bytes from an offset on.
    ///
    /// - Returns: How many bytes it took; 0 when it takes none at present.
    func send(_ bytes: [UInt8], from offset: Int) throws(POSIXError) -> Int {
        while true {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset...])
                return unsafe Foundation.send(
                    descriptor, rest.baseAddress, rest.count, Self.sendFlags)
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: throw POSIXError.last
            }
        }
    }

    /// Takes in what has arrived, up to the buffer's size.
    ///
    /// - Returns: How many bytes; 0 at the end of the stream, nil when nothing is there at present.
    func receive(into buffer: inout [UInt8]) throws(POSIXError) -> Int? {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            default: throw POSIXError.last
            }
        }
    }

    #if canImport(Darwin)
    private static let streamType = SOCK_STREAM
    private static let sendFlags: Int32 = 0
    #else
    private static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
}

/// A pipe to oneself, that ends the wait of another thread.
///
/// In a process that has no descriptor left there is none: then waits are cut short, so that the
/// client gets along until it can connect at all.
final class Bell: Sendable {
    fileprivate let reading: Int32
    private let writing: Int32

    /// How long a wait is where nothing can end it.
    fileprivate static let longestDeafWait: Duration = .milliseconds(100)

    init() {
        var ends: [Int32] = [-1, -1]
        let outcome = unsafe pipe(&ends)
        reading = outcome == 0 ? ends[0] : -1
        writing = outcome == 0 ? ends[1] : -1
        guard outcome == 0 else { return }
        configure(reading)
        configure(writing)
    }

    deinit {
        guard isThere else { return }
        Foundation.close(reading)
        Foundation.close(writing)
    }

    fileprivate var isThere: Bool { reading >= 0 }

    /// Ends the wait that is going on, or else the next one.
    func ring() {
        var byte: UInt8 = 0
        // A full pipe rings already.
        _ = unsafe Foundation.write(writing, &byte, 1)
    }

    fileprivate func silence() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe Foundation.read(reading, &bytes, bytes.count) > 0 {}
    }
}

/// What ended a wait.
struct Readiness {
    var isReadable = false
    var isWritable = false

    /// Waits for the bell, the socket, or an instant; takes no processor time meanwhile.
    static func wait(
        bell: Bell, socket: Socket? = nil, toWrite: Bool = false,
        until deadline: ContinuousClock.Instant?
    ) -> Readiness {
        let end = bell.isThere ? nil : ContinuousClock.now.advanced(by: Bell.longestDeafWait)
        let deadline = [deadline, end].compactMap(\.self).min()
        // A descriptor of -1 is passed over.
        var entries = [pollfd(fd: bell.reading, events: Int16(POLLIN), revents: 0)]
        if let socket {
            let events = Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0)
            entries.append(pollfd(fd: socket.descriptor, events: events, revents: 0))
        }
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds(until: deadline)) > 0 else {
            return Readiness()
        }
        if entries[0].revents != 0 { bell.silence() }
        guard socket != nil else { return Readiness() }
        let events = entries[1].revents
        let isWritable = events & Int16(POLLOUT) != 0
        // A hang-up and an error are found by reading.
        return Readiness(isReadable: events & ~Int16(POLLOUT) != 0, isWritable: isWritable)
    }

    /// Rounded up, so that a wait never ends early and begins again and again.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let rest = ContinuousClock.now.duration(to: deadline)
        guard rest > .zero else { return 0 }
        let (seconds, attoseconds) = rest.components
        let milliseconds = attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: min(seconds, Int64(Int32.max / 1_000)) * 1_000 + milliseconds)
    }
}

extension POSIXError {
    fileprivate static var last: POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}

/// Makes a descriptor one that never waits, and is not handed on to programs that are started.
private func configure(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
    var on: Int32 = 1
    _ = unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
}
