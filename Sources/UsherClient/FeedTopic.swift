// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherStreams
import UsherWire

/// What the client subscribes to, as it stands in a request.
enum FeedTopic: Sendable, Hashable, CustomStringConvertible {
    /// The user that the daemon takes this process for, whatever its number.
    case ownUser
    case user(Int64)
    case movies(MovieListName)
    case engine

    var description: String {
        switch self {
        case .ownUser: "user"
        case .user(let id): "user/\(id)"
        case .movies(let list): "movies/\(list)"
        case .engine: "engine"
        }
    }
}

/// The streams that show one topic.
enum Feed: Sendable {
    case user(StateStream<UserState>)
    case list(ListStreams)
    /// The client's own streams show it.
    case engine

    func finish() {
        switch self {
        case .user(let stream): stream.finish()
        case .list(let streams):
            streams.movies.finish()
            streams.pages.finish()
        case .engine: break
        }
    }
}

/// A list, and what is appended to it.
struct ListStreams: Sendable {
    let movies = StateStream(MovieList())
    let pages = EventStream<MoviePage>()
}
