// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherCore
import UsherEventLoop
import UsherUpstream
import UsherWire

/// Which peer has which role: decided once, when it connects, by its credentials.
struct PeerRoles {
    private let ownUID: UInt32
    private let controlGroup: UInt32?
    private let adminGroup: UInt32?

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
    // Called before the daemon has other threads.
    if let entry = unsafe getgrnam(name) { return unsafe entry.pointee.gr_gid }
    if let number = UInt32(name) { return number }
    throw StartError("there is no group \(name)", status: StartError.misconfigured)
}
