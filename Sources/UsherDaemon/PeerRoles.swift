// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherCore
import UsherEventLoop
import UsherUpstream
import UsherWire

/// Which peer has which role, by the credentials that it connected with.
struct PeerRoles: Sendable {
    private let ownUID: UInt32
    private let controlGroup: UInt32?
    private let adminGroup: UInt32?

    /// Looks the groups up, which may block.
    init(_ configuration: Configuration) throws(StartError) {
        ownUID = getuid()
        controlGroup = try configuration.controlGroup.map(groupID)
        adminGroup = try configuration.adminGroup.map(groupID)
    }

    /// Root and the daemon's own user: never locked out.
    func isPrivileged(_ uid: UInt32) -> Bool {
        uid == 0 || uid == ownUID
    }

    func peer(_ credentials: PeerCredentials, ownUser: OwnUser) -> Peer {
        let role: Role =
            if isPrivileged(credentials.uid) || credentials.isMember(of: adminGroup) {
                .admin
            } else if credentials.isMember(of: controlGroup) {
                .control
            } else {
                .read
            }
        switch ownUser {
        case .peerUID: return Peer(role: role, ownUser: Int64(credentials.uid), ownsUser: true)
        case .fixed(let id): return Peer(role: role, ownUser: id, ownsUser: false)
        }
    }
}

extension PeerCredentials {
    fileprivate func isMember(of group: UInt32?) -> Bool {
        guard let group else { return false }
        return gid == group || groups.contains(group)
    }
}

/// The number of a group, given by name or number.
func groupID(_ name: String) throws(StartError) -> UInt32 {
    var entry = unsafe group()
    var buffer = [CChar](repeating: 0, count: 1_024)
    var found: UnsafeMutablePointer<group>?
    var status = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found)
    while status == ERANGE, buffer.count < 1 << 24 {
        buffer = [CChar](repeating: 0, count: buffer.count * 4)
        status = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found)
    }
    if let found = unsafe found { return unsafe found.pointee.gr_gid }
    if let number = UInt32(name) { return number }
    throw StartError("there is no group \(name)", status: StartError.misconfigured)
}
