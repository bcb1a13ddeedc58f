// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Who is at the other end of a socket.
package struct PeerCredentials: Equatable, Sendable {
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
    package let groups: [UInt32]

    package init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    package init(of descriptor: Int32) throws(LoopError) {
        guard let known = Kernel.credentials.withLock({ $0[descriptor] }) else {
            throw LoopError("read peer credentials", code: EBADF)
        }
        self = known
    }
}
