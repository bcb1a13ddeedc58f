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
            // In bytes: a mark behind the slash would make it another Character.
            guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            let name = text[text.utf8.index(after: slash)...]
            guard !name.isEmpty else { return nil }
            switch text[..<slash] {
            case "user":
                guard let id = Int64(name), String(id) == name, id >= 0 else { return nil }
                self = .user(id)
            case "movies": self = .movies(MovieListName(rawValue: String(name)))
            default: return nil
            }
        }
    }
}
