// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherOptions

/// What the command line asks for.
package struct Invocation: Sendable, Equatable {
    package var command: Command
    package var options: Options

    package init(_ command: Command, _ options: Options = Options()) {
        self.command = command
        self.options = options
    }
}

/// One thing that usherctl does, with its operands.
package enum Command: Sendable, Equatable {
    case request(ControlRequest)
    case watch([WatchTopic])
    /// The words of the command to explain; none for an overview.
    case help([String])
    case completions(Shell)
    case version
}

/// A command that asks the daemon once.
package enum ControlRequest: Sendable, Equatable {
    case status
    case userGet
    case userFetch
    case userRename(String)
    case moviesGet
    case moviesMore
    case moviesRefresh
    case ping
    case stats
    case metrics
    /// Any method, with its `params` as JSON text.
    case call(method: String, parameters: String?)
}

/// The values of all options, with their defaults.
package struct Options: Sendable, Equatable {
    /// Nil: searched for as the client does.
    package var socketPath: String?
    package var isJSON = false
    /// In seconds; 0 is no limit.
    package var timeout = Self.defaultTimeout
    package var color = ColorChoice.auto
    package var list = "popular"
    /// Nil: all that the daemon has.
    package var limit: Int?
    package var reconnects = true
    /// How each row is written, in place of a table.
    package var format: RowFormat?
    /// What a shell runs for each event of `watch`, in place of writing it.
    package var exec: String?

    package init() {}

    /// Seconds in which a daemon that retries its upstream has answered, one way or the other.
    package static let defaultTimeout = 120.0
    /// The longest time-out, in seconds: a day.
    package static let longestTimeout = 86_400.0
}

/// A topic that `watch` can show.
package enum WatchTopic: Sendable, Hashable, CustomStringConvertible {
    case user
    case movies(String)
    case engine

    package var description: String {
        switch self {
        case .user: "user"
        case .movies("popular"): "movies"
        case .movies(let list): "movies/\(list)"
        case .engine: "engine"
        }
    }

    /// Reads a topic as it is typed: `user`, `movies`, `movies/LIST`, `engine`.
    package init?(_ text: String) {
        switch text {
        case "user": self = .user
        case "movies": self = .movies("popular")
        case "engine": self = .engine
        default:
            guard text.hasPrefix("movies/"), text.utf8.count > "movies/".utf8.count else {
                return nil
            }
            self = .movies(String(text.dropFirst("movies/".count)))
        }
    }
}
