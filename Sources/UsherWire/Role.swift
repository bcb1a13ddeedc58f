// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// What a peer may do; each role includes those before it.
package enum Role: String, Sendable, Comparable, CaseIterable {
    /// Look, subscribe, and ask for the next page.
    case read
    /// Change what belongs to others or to all.
    case control
    /// Reload and stop the daemon.
    case admin

    package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .read: 0
        case .control: 1
        case .admin: 2
        }
    }
}
