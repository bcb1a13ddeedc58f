// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// Who is at the other end of a connection, as far as permissions go.
package struct Peer: Sendable, Hashable {
    package let role: Role
    /// The user that is meant when a request names none.
    package let ownUser: Int64
    /// Whether ``ownUser`` is this peer's alone, and not one for all peers.
    package let ownsUser: Bool

    package init(role: Role, ownUser: Int64, ownsUser: Bool) {
        self.role = role
        self.ownUser = ownUser
        self.ownsUser = ownsUser
    }

    /// The role that a call needs of this peer: its method's, or more if it changes what belongs to others.
    package func roleNeeded(for call: Call, of entry: MethodEntry) -> Role {
        switch call {
        case .userFetch(let user, _), .userRename(let user, _, _):
            let isOwn = (user ?? ownUser) == ownUser && ownsUser
            return isOwn ? entry.role : max(entry.role, .control)
        default: return entry.role
        }
    }
}
