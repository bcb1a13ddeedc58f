// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV
internal import Glibc

/// Who is at the other end of a Unix socket, as it was when the peer connected.
package struct PeerCredentials: Equatable, Sendable {
    /// The peer's process, for logs only: it may be gone and the number reused.
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
    /// The supplementary groups; `gid` may or may not be among them.
    package let groups: [UInt32]

    /// Asks the kernel (SO_PEERCRED, SO_PEERGROUPS).
    package init(of descriptor: Int32) throws(LoopError) {
        var credentials = usher_ucred()
        var size = socklen_t(MemoryLayout<usher_ucred>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0
        else {
            throw .last("read peer credentials")
        }
        pid = credentials.pid
        uid = credentials.uid
        gid = credentials.gid
        groups = try Self.groups(of: descriptor)
    }

    private static func groups(of descriptor: Int32) throws(LoopError) -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 32)
        while true {
            let width = MemoryLayout<UInt32>.size
            var size = socklen_t(groups.count * width)
            if unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, &groups, &size) == 0 {
                return Array(groups.prefix(Int(size) / width))
            }
            // The kernel then says how much it needs.
            guard errno == ERANGE, Int(size) > groups.count * width else {
                throw .last("read peer groups")
            }
            groups = [UInt32](repeating: 0, count: Int(size) / width)
        }
    }
}
