// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The name of a movie list: `popular`, `now_playing`, `top_rated`, `upcoming`.
public struct MovieListName: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as it stands in topics and parameters.
    public let rawValue: String

    /// Takes any text; a daemon answers for a name it does not serve with an error that lists those it does.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any text, as ``init(rawValue:)``.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The list that is meant when none is named.
    public static let popular: MovieListName = "popular"
    /// Films in cinemas now.
    public static let nowPlaying: MovieListName = "now_playing"
    /// Films by vote.
    public static let topRated: MovieListName = "top_rated"
    /// Films not out yet.
    public static let upcoming: MovieListName = "upcoming"

    /// The name itself.
    public var description: String { rawValue }
}

/// What a movie list is doing, and how far it is.
public struct MovieListStatus: Sendable, Hashable {
    /// What the list is doing.
    public enum Phase: String, Sendable {
        /// Nothing is being fetched.
        case idle
        /// One page is being fetched.
        case loading
        /// The last fetch failed; the movies that were there still are.
        case error
    }

    /// What the list is doing.
    public var phase: Phase
    /// Why the last fetch failed, for people; nil in other phases.
    public var message: String?
    /// The last page that is in the list; 0 when there is none.
    public var page: Int
    /// How many pages there are to get, as last heard; 0 when not known yet.
    public var pages: Int
    /// How many movies are in the list now.
    public var total: Int
    /// Whether there is no further page to get.
    public var complete: Bool

    /// A list as it is before its first page.
    public static let empty = MovieListStatus(
        phase: .idle, message: nil, page: 0, pages: 0, total: 0, complete: false)

    /// Makes a status from its parts.
    public init(
        phase: Phase, message: String?, page: Int, pages: Int, total: Int, complete: Bool
    ) {
        self.phase = phase
        self.message = message
        self.page = page
        self.pages = pages
        self.total = total
        self.complete = complete
    }
}

/// A movie list as a client holds it.
public struct MovieList: Sendable, Hashable {
    /// The movies in the list's order, without repeated ids.
    public var movies: [Movie]
    /// What the list is doing, and how far it is.
    public var status: MovieListStatus

    /// Makes a list from its parts.
    public init(movies: [Movie] = [], status: MovieListStatus = .empty) {
        self.movies = movies
        self.status = status
    }
}

/// A stretch of movies that came in one go, and where it stands in its list.
public struct MoviePage: Sendable, Hashable {
    /// The position of the first of ``movies`` in the list, from 0.
    public let offset: Int
    /// The movies that were appended.
    public let movies: [Movie]
    /// The list's status with them in it.
    public let status: MovieListStatus
    /// Whether the list started anew, so that what came before is to be dropped.
    public let startsOver: Bool

    /// Makes a page from its parts.
    public init(offset: Int, movies: [Movie], status: MovieListStatus, startsOver: Bool = false) {
        self.offset = offset
        self.movies = movies
        self.status = status
        self.startsOver = startsOver
    }
}
