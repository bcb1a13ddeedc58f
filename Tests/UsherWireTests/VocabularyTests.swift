// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

/// The wire forms, letter by letter: clients of other languages were written against them.
struct VocabularyTests {
    private func json(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `A user has its four members, whatever is known`() {
        let ada = User(id: 1000, name: "Ada \"L\"", username: "ada", phone: "1-770 x5")
        #expect(
            json { $0.user(ada) }
                == #"{"id":1000,"name":"Ada \"L\"","username":"ada","phone":"1-770 x5"}"#)
        #expect(
            json { $0.user(User(id: 0, name: "", username: "root")) }
                == #"{"id":0,"name":"","username":"root","phone":null}"#)
    }

    @Test(arguments: [
        (UserState.initial, #"{"state":"initial"}"#),
        (.loading, #"{"state":"loading"}"#),
        (
            .loaded(User(id: 7, name: "A", username: "a")),
            #"{"state":"loaded","user":{"id":7,"name":"A","username":"a","phone":null}}"#
        ),
        (.error("no\nroute"), #"{"state":"error","message":"no\nroute"}"#),
    ])
    func `A user's state says its name and what belongs to it`(state: UserState, expected: String) {
        #expect(json { $0.userState(state) } == expected)
    }

    @Test func `A movie of which only the needed is known has two members`() {
        #expect(
            json { $0.movie(Movie(id: 550, title: "Fight / Club")) }
                == #"{"id":550,"title":"Fight / Club"}"#)
    }

    @Test func `A movie keeps the field names and the order of its service`() {
        var movie = Movie(id: 550, title: "T")
        movie.originalTitle = "O"
        movie.originalLanguage = "en"
        movie.overview = "a\u{2028}b"
        movie.releaseDate = "1999-10-15"
        movie.posterPath = "/p.jpg"
        movie.backdropPath = "/b.jpg"
        movie.genreIDs = [18, 53]
        movie.popularity = 61.5
        movie.voteAverage = 8.4
        movie.voteCount = 26_280
        movie.adult = false
        movie.video = true
        let expected =
            #"{"id":550,"title":"T","original_title":"O","original_language":"en","#
            + #""overview":"a\u2028b","release_date":"1999-10-15","poster_path":"/p.jpg","#
            + #""backdrop_path":"/b.jpg","genre_ids":[18,53],"popularity":61.5,"#
            + #""vote_average":8.4,"vote_count":26280,"adult":false,"video":true}"#
        #expect(json { $0.movie(movie) } == expected)
        #expect(EncodedMovie(movie) == EncodedMovie(id: 550, json: Array(expected.utf8)))
    }

    @Test func `A movie without genres has an empty list of them`() {
        var movie = Movie(id: 1, title: "T")
        movie.genreIDs = []
        #expect(json { $0.movie(movie) } == #"{"id":1,"title":"T","genre_ids":[]}"#)
    }

    @Test func `A list's status has a message only when there is one`() {
        #expect(
            json { $0.movieListStatus(.empty) }
                == #"{"phase":"idle","page":0,"pages":0,"total":0,"complete":false}"#)
        let failed = MovieListStatus(
            phase: .error, message: "timed out", page: 1, pages: 5, total: 20, complete: true)
        #expect(
            json { $0.movieListStatus(failed) }
                == #"{"phase":"error","message":"timed out","page":1,"pages":5,"total":20,"#
                + #""complete":true}"#)
    }

    @Test func `An engine event has a reason and a delay only where it stops`() {
        #expect(
            json { $0.engineEvent(EngineEvent(step: .reload, phase: .did)) }
                == #"{"event":"reload","phase":"did"}"#)
        let stop = EngineEvent(
            step: .stop, phase: .will, reason: "SIGTERM", reconnectAfterMilliseconds: 250)
        #expect(
            json { $0.engineEvent(stop) }
                == #"{"event":"stop","phase":"will","reason":"SIGTERM","reconnect_after_ms":250}"#)
    }

    @Test func `A cursor is a string of epoch and revision`() {
        let cursor = Cursor(epoch: Epoch(value: 0xAB), revision: .max)
        #expect(json { $0.cursor(cursor) } == #""00000000000000ab:18446744073709551615""#)
    }

    @Test func `An error says its code, and only what is known of the place and the time`() {
        #expect(
            json { $0.wireError(WireError(.busy, "later")) }
                == #"{"code":-32006,"message":"later","data":{"reason":"busy","retryable":true}}"#)
        let full = WireError(
            .wrongType, "user is a \"number\"", path: "/params/user", offset: 12,
            retryAfterMilliseconds: 500)
        #expect(
            json { $0.wireError(full) }
                == #"{"code":-32602,"message":"user is a \"number\"","data":"#
                + #"{"reason":"wrong_type","retryable":false,"path":"/params/user","offset":12,"#
                + #""retry_after_ms":500}}"#)
    }
}
