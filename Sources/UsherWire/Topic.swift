// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A thing that changes and can be subscribed to.
package enum Topic: Sendable, Hashable, CustomStringConvertible {
    case user(Int64)
    case movies(MovieListName)
    case engine

    /// The canonical name: `user/ID`, `movies/LIST`, `engine`.
    package var description: String {
        switch self {
        case .user(let id): "user/\(id)"
        case .movies(let list): "movies/\(list)"
        case .engine: "engine"
        }
    }

    /// Reads a name as peers write it; `user` alone is the peer's own user, `movies` alone the popular list.
    package init?(_ text: String, ownUser: Int64) {
        switch text {
        case "user": self = .user(ownUser)
        case "movies": self = .movies(.popular)
        case "engine": self = .engine
        default:
            let parts = text.split(
                separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else { return nil }
            switch parts[0] {
            case "user":
                guard let id = Int64(parts[1]), String(id) == parts[1], id >= 0 else { return nil }
                self = .user(id)
            case "movies": self = .movies(MovieListName(rawValue: String(parts[1])))
            default: return nil
            }
        }
    }
}
