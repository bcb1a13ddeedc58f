// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import UsherStreams

// The calls of the system that the fake server needs; they block its own threads.

/// A descriptor that one thread waits on and closes, and that others may shut down or send to.
final class Descriptor: Sendable {
    private let number: Guarded<Int32?>
    let raw: Int32

    init(_ raw: Int32) {
        self.raw = raw
        number = Guarded(raw)
    }

    /// Ends the wait of the thread.
    func shutdown() {
        number.withLock { number in
            if let number { _ = Foundation.shutdown(number, Int32(SHUT_RDWR)) }
        }
    }

    func close() {
        number.withLock { number in
            if let number { _ = Foundation.close(number) }
            number = nil
        }
    }

    func send(_ bytes: [UInt8]) {
        number.withLock { number in
            if let number { transmit(bytes, to: number) }
        }
    }
}

func listen(at path: String) throws -> Int32 {
    #if canImport(Darwin)
    let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #else
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
        unsafe buffer.copyBytes(from: path.utf8)
    }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let outcome = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe bind(descriptor, $0, length)
        }
    }
    guard outcome == 0, Foundation.listen(descriptor, 128) == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    return descriptor
}

/// Nil once the listener was shut down.
func accept(from listener: Int32) -> Int32? {
    let descriptor = Foundation.accept(listener, nil, nil)
    return descriptor >= 0 ? descriptor : nil
}

/// Nil at the end.
func receive(from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes[..<count]) : nil
}

private func transmit(_ bytes: [UInt8], to descriptor: Int32) {
    var sent = 0
    while sent < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
            return unsafe Foundation.send(
                descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        sent += count
    }
}
