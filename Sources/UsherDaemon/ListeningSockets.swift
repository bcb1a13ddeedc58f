// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherEventLoop

/// The sockets that the daemon serves: one of its own, or those that a service manager opened for it.
///
/// A socket that was inherited is neither bound nor unlinked here: it outlives the daemon, and with it whoever connects
/// while the daemon is down.
struct ListeningSockets: ~Copyable {
    private var own: UnixSocket?
    private var inherited: [Int32] = []
    /// Where the sockets are, for people.
    let places: [String]

    init(
        _ configuration: Configuration, inherited: [ServiceEnvironment.InheritedSocket]
    ) throws(StartError) {
        guard inherited.isEmpty else {
            var places: [String] = []
            for socket in inherited {
                do {
                    var adopted = try UnixSocket(adopting: socket.descriptor)
                    self.inherited.append(adopted.takeDescriptor())
                } catch {
                    throw StartError(
                        "\(error.description) (its unit calls it \(socket.name)); the socket unit "
                            + "needs ListenStream= with a path, and Accept=no",
                        status: StartError.misconfigured)
                }
                places.append(Self.path(of: socket.descriptor) ?? socket.name)
            }
            self.places = places
            return
        }
        own = try Self.makeOwn(configuration)
        places = [configuration.socketPath]
    }

    /// Hands the descriptors over to listeners; called once.
    mutating func takeDescriptors() -> [Int32] {
        guard inherited.isEmpty else { return inherited }
        guard let descriptor = own?.takeDescriptor() else { return [] }
        return [descriptor]
    }

    /// Removes the socket that the daemon made, if it is still there.
    func remove() { own?.remove() }

    private static func makeOwn(_ configuration: Configuration) throws(StartError) -> UnixSocket {
        let group = try configuration.socketGroup.map(groupID)
        do {
            return try UnixSocket(
                at: configuration.socketPath, mode: configuration.socketMode, group: group)
        } catch {
            let status =
                switch error {
                case .owned, .answered: StartError.unavailable
                default: StartError.cannotCreate
                }
            throw StartError(error.description, status: status)
        }
    }

    /// The path that a socket is bound to.
    private static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        guard status == 0 else { return nil }
        let path = unsafe withUnsafeBytes(of: &address.sun_path) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return path.isEmpty ? nil : path
    }
}
