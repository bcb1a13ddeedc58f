// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

// How the words of the vocabulary are read. Members that are not known are passed over, so that a
// later daemon may say more.

struct WireUserState: Decodable {
    let state: UserState

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(String.self, forKey: .state) {
        case "initial": state = .initial
        case "loading": state = .loading
        case "loaded": state = .loaded(try members.decode(WireUser.self, forKey: .user).user)
        case "error": state = .error(try members.decode(String.self, forKey: .message))
        case let other:
            state = .error(
                "the daemon says that the user is \(other), which this client does not know; "
                    + "use a client of the daemon's release")
        }
    }

    private enum CodingKeys: String, CodingKey { case state, user, message }
}

private struct WireUser: Decodable {
    let user: User

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        user = User(
            id: try members.decode(Int64.self, forKey: .id),
            name: try members.decode(String.self, forKey: .name),
            username: try members.decode(String.self, forKey: .username),
            phone: try members.decodeIfPresent(String.self, forKey: .phone))
    }

    private enum CodingKeys: String, CodingKey { case id, name, username, phone }
}

struct WireMovie: Decodable {
    let movie: Movie

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        var movie = Movie(
            id: try members.decode(Int64.self, forKey: .id),
            title: try members.decode(String.self, forKey: .title))
        movie.originalTitle = try members.decodeIfPresent(String.self, forKey: .originalTitle)
        movie.originalLanguage = try members.decodeIfPresent(
            String.self, forKey: .originalLanguage)
        movie.overview = try members.decodeIfPresent(String.self, forKey: .overview)
        movie.releaseDate = try members.decodeIfPresent(String.self, forKey: .releaseDate)
        movie.posterPath = try members.decodeIfPresent(String.self, forKey: .posterPath)
        movie.backdropPath = try members.decodeIfPresent(String.self, forKey: .backdropPath)
        movie.genreIDs = try members.decodeIfPresent([Int64].self, forKey: .genreIDs)
        movie.popularity = try members.decodeIfPresent(Double.self, forKey: .popularity)
        movie.voteAverage = try members.decodeIfPresent(Double.self, forKey: .voteAverage)
        movie.voteCount = try members.decodeIfPresent(Int64.self, forKey: .voteCount)
        movie.adult = try members.decodeIfPresent(Bool.self, forKey: .adult)
        movie.video = try members.decodeIfPresent(Bool.self, forKey: .video)
        self.movie = movie
    }

    private enum CodingKeys: String, CodingKey {
        case id, title, overview, popularity, adult, video
        case originalTitle = "original_title"
        case originalLanguage = "original_language"
        case releaseDate = "release_date"
        case posterPath = "poster_path"
        case backdropPath = "backdrop_path"
        case genreIDs = "genre_ids"
        case voteAverage = "vote_average"
        case voteCount = "vote_count"
    }
}

struct WireStatus: Decodable {
    let status: MovieListStatus

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let phase = try members.decode(String.self, forKey: .phase)
        status = MovieListStatus(
            phase: MovieListStatus.Phase(rawValue: phase) ?? .idle,
            message: try members.decodeIfPresent(String.self, forKey: .message),
            page: try members.decode(Int.self, forKey: .page),
            pages: try members.decode(Int.self, forKey: .pages),
            total: try members.decode(Int.self, forKey: .total),
            complete: try members.decode(Bool.self, forKey: .complete))
    }

    private enum CodingKeys: String, CodingKey {
        case phase, message, page, pages, total, complete
    }
}

/// A change of a movie list.
struct WireListChange: Decodable {
    enum Operation: String, Decodable { case append, reset }

    let operation: Operation
    let start: Int
    let movies: [Movie]
    let status: MovieListStatus

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        operation = try members.decode(Operation.self, forKey: .operation)
        start = try members.decode(Int.self, forKey: .start)
        movies = try members.decode([WireMovie].self, forKey: .items).map(\.movie)
        status = try members.decode(WireStatus.self, forKey: .status).status
    }

    private enum CodingKeys: String, CodingKey {
        case operation = "op"
        case start = "at"
        case items, status
    }
}

struct WireEngineEvent: Decodable {
    /// Nil for a step that this client does not know.
    let event: EngineEvent?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard
            let step = EngineEvent.Step(rawValue: try members.decode(String.self, forKey: .event)),
            let phase = EngineEvent.Phase(rawValue: try members.decode(String.self, forKey: .phase))
        else {
            event = nil
            return
        }
        event = EngineEvent(
            step: step, phase: phase,
            reason: try members.decodeIfPresent(String.self, forKey: .reason),
            reconnectAfterMilliseconds: try members.decodeIfPresent(
                Int.self, forKey: .reconnectAfter))
    }

    private enum CodingKeys: String, CodingKey {
        case event, phase, reason
        case reconnectAfter = "reconnect_after_ms"
    }
}
