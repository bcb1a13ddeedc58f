// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The wire form of each word of the vocabulary. Member order is fixed; clients may rely on names, not on order.
extension JSONWriter {
    package mutating func user(_ user: User) {
        raw("{\"id\":")
        integer(user.id)
        raw(",\"name\":")
        string(user.name)
        raw(",\"username\":")
        string(user.username)
        raw(",\"phone\":")
        optionalString(user.phone)
        raw("}")
    }

    package mutating func userState(_ state: UserState) {
        switch state {
        case .initial: raw("{\"state\":\"initial\"}")
        case .loading: raw("{\"state\":\"loading\"}")
        case .loaded(let user):
            raw("{\"state\":\"loaded\",\"user\":")
            self.user(user)
            raw("}")
        case .error(let message):
            raw("{\"state\":\"error\",\"message\":")
            string(message)
            raw("}")
        }
    }

    package mutating func movie(_ movie: Movie) {
        raw("{\"id\":")
        integer(movie.id)
        raw(",\"title\":")
        string(movie.title)
        member("original_title", movie.originalTitle)
        member("original_language", movie.originalLanguage)
        member("overview", movie.overview)
        member("release_date", movie.releaseDate)
        member("poster_path", movie.posterPath)
        member("backdrop_path", movie.backdropPath)
        if let genres = movie.genreIDs {
            raw(",\"genre_ids\":[")
            for (index, genre) in genres.enumerated() {
                if index > 0 { raw(",") }
                integer(genre)
            }
            raw("]")
        }
        member("popularity", movie.popularity)
        member("vote_average", movie.voteAverage)
        if let count = movie.voteCount {
            raw(",\"vote_count\":")
            integer(count)
        }
        member("adult", movie.adult)
        member("video", movie.video)
        raw("}")
    }

    package mutating func movieListStatus(_ status: MovieListStatus) {
        raw("{\"phase\":")
        string(status.phase.rawValue)
        member("message", status.message)
        raw(",\"page\":")
        integer(status.page)
        raw(",\"pages\":")
        integer(status.pages)
        raw(",\"total\":")
        integer(status.total)
        raw(",\"complete\":")
        boolean(status.complete)
        raw("}")
    }

    package mutating func engineEvent(_ event: EngineEvent) {
        raw("{\"event\":")
        string(event.step.rawValue)
        raw(",\"phase\":")
        string(event.phase.rawValue)
        member("reason", event.reason)
        if let delay = event.reconnectAfterMilliseconds {
            raw(",\"reconnect_after_ms\":")
            integer(delay)
        }
        raw("}")
    }

    package mutating func cursor(_ cursor: Cursor) {
        raw("\"")
        hexadecimal(cursor.epoch.value, digits: Epoch.length)
        raw(":")
        integer(cursor.revision)
        raw("\"")
    }

    /// Appends `{"code","message","data":{…}}`.
    package mutating func wireError(_ error: WireError) {
        raw("{\"code\":")
        integer(error.reason.code)
        raw(",\"message\":")
        string(error.message)
        raw(",\"data\":{\"reason\":")
        string(error.reason.rawValue)
        raw(",\"retryable\":")
        boolean(error.reason.isRetryable)
        member("path", error.path)
        if let offset = error.offset {
            raw(",\"offset\":")
            integer(offset)
        }
        if let delay = error.retryAfterMilliseconds {
            raw(",\"retry_after_ms\":")
            integer(delay)
        }
        raw("}}")
    }

    private mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        memberName(name)
        string(text)
    }

    private mutating func member(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        memberName(name)
        number(value)
    }

    private mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        memberName(name)
        boolean(value)
    }

    private mutating func memberName(_ name: StaticString) {
        raw(",\"")
        raw(name)
        raw("\":")
    }
}
