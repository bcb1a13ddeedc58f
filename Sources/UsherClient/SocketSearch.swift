// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where a client looks for the daemon's socket.
///
/// It looks anew for each attempt: the daemon may be started elsewhere meanwhile.
struct SocketSearch: Sendable {
    /// The path that the program named.
    var explicit: String?
    /// Where `USHER_SOCKET` and `XDG_RUNTIME_DIR` are looked up.
    var environment = ProcessInfo.processInfo.environment
    /// The folder of sockets that belong to the system's daemon.
    var systemFolder = "/run"
    /// The folder that everybody may write to.
    var temporaryFolder = "/tmp"

    /// Connects to the first place where there is a socket, and says what to do where that fails.
    func connect() throws(ClientError) -> Socket {
        if let named = explicit ?? environment["USHER_SOCKET"] {
            do {
                return try Socket(connectingTo: named)
            } catch {
                throw Self.explain(error, path: named)
            }
        }
        let ownFolder = "\(temporaryFolder)/usher-\(getuid())"
        var candidates = ["\(systemFolder)/usher/usher.sock", "\(ownFolder)/usher.sock"]
        if let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty {
            candidates.insert("\(folder)/usher/usher.sock", at: 0)
        }
        for path in candidates {
            if path.hasPrefix(ownFolder) { try checkOwner(of: ownFolder) }
            do {
                return try Socket(connectingTo: path)
            } catch {
                guard error.code == .ENOENT || error.code == .ENOTDIR else {
                    throw Self.explain(error, path: path)
                }
            }
        }
        throw ClientError(
            .missingSocket,
            "no daemon's socket is at \(candidates.joined(separator: ", ")); "
                + "start usherd, or name its socket in the environment variable USHER_SOCKET",
            isRetryable: true, underlying: POSIXError(.ENOENT))
    }

    /// Anybody can put a folder there, and in it a socket that takes what is meant for the daemon.
    private func checkOwner(of folder: String) throws(ClientError) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder)
        guard let attributes else { return }
        guard let owner = attributes[.ownerAccountID] as? NSNumber, owner.uint32Value == getuid(),
            attributes[.type] as? FileAttributeType == .typeDirectory
        else {
            throw ClientError(
                .invalidSocketPath,
                "\(folder) is not a folder of one's own and is not trusted; "
                    + "name the socket in the environment variable USHER_SOCKET")
        }
    }

    static func explain(_ error: POSIXError, path: String) -> ClientError {
        switch error.code {
        case .ENOENT, .ENOTDIR:
            ClientError(
                .missingSocket, "there is no socket at \(path); start usherd, or correct the path",
                isRetryable: true, underlying: error)
        case .ECONNREFUSED:
            ClientError(
                .staleSocket,
                "nobody listens at \(path): the daemon has ended and left its socket; "
                    + "start usherd again",
                isRetryable: true, underlying: error)
        case .EACCES, .EPERM:
            ClientError(
                .forbiddenSocket,
                "the socket \(path) may not be opened by this user; ask for membership "
                    + "in the group that owns it, or run as a user who may",
                underlying: error)
        case .ENAMETOOLONG:
            ClientError(
                .invalidSocketPath,
                "the socket's path has \(path.utf8.count) bytes and may have "
                    + "\(Socket.pathBytes); use a shorter path: \(path)",
                underlying: error)
        default:
            ClientError(
                .connectionFailed,
                "no connection could be made to \(path) (\(error.code)); "
                    + "see whether the daemon is overloaded or stopped",
                isRetryable: true, underlying: error)
        }
    }
}
