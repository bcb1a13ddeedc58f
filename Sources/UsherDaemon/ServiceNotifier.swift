// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherEventLoop

/// Tells a service manager how the service fares, by the datagrams of sd_notify(3).
///
/// Nothing happens where nobody asked. A message that cannot be sent is lost: the service matters more.
@safe
final class ServiceNotifier {
    private let descriptor: Int32
    private var address = sockaddr_un()
    private var size: socklen_t = 0

    /// A notifier for the address in `NOTIFY_SOCKET`: a path, or an abstract name behind an `@`.
    init(_ place: String?) {
        guard let place, place.hasPrefix("/") || place.hasPrefix("@"),
            place.utf8.count <= UnixSocket.maximumPathBytes
        else {
            descriptor = -1
            return
        }
        descriptor = socket(
            AF_UNIX,
            Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(place.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // An abstract name has no zero at its end: its length says where it ends.
        let head = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        size = socklen_t(head + bytes.count + (bytes[0] == 0 ? 0 : 1))
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Says that connections are served.
    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// Says that the configuration is read again; ``ready(_:)`` says that this is done.
    func reloading() {
        let now = EventLoop.monotonicNanoseconds() / 1_000
        send("RELOADING=1\nMONOTONIC_USEC=\(now)\nSTATUS=Reading the configuration again")
    }

    func status(_ status: String) { send("STATUS=\(status)") }

    func stopping(_ status: String) { send("STOPPING=1\nSTATUS=\(status)") }

    /// Says that all is alive.
    func alive() { send("WATCHDOG=1") }

    private func send(_ text: String) {
        guard descriptor >= 0 else { return }
        let bytes = Array(text.utf8)
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, size)
            }
        }
    }
}
