// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Testing
internal import UsherControl
internal import UsherWire

@Suite struct WatchEventTests {
    private func list(_ ids: Int64..., phase: MovieListStatus.Phase = .idle) -> MovieList {
        MovieList(
            movies: ids.map { Movie(id: $0, title: "Film \($0)") },
            status: MovieListStatus(
                phase: phase, message: nil, page: 1, pages: 2, total: ids.count, complete: false))
    }

    @Test func `The first list is the present one`() {
        #expect(WatchEvent(.popular, from: nil, to: list(1)) == .present(.popular, list(1)))
    }

    @Test func `A list that continues the one before is an append, also of nothing`() {
        let longer = list(1, 2, 3)
        #expect(
            WatchEvent(.popular, from: list(1), to: longer)
                == .appended(.popular, at: 1, Array(longer.movies.dropFirst()), longer.status))
        let loading = list(1, phase: .loading)
        #expect(
            WatchEvent(.popular, from: list(1), to: loading)
                == .appended(.popular, at: 1, [], loading.status))
    }

    @Test func `A list that is shorter or begins otherwise is a reset`() {
        #expect(WatchEvent(.popular, from: list(1, 2), to: list(1)) == .reset(.popular, list(1)))
        #expect(WatchEvent(.popular, from: list(1), to: list(2, 1)) == .reset(.popular, list(2, 1)))
    }

    @Test func `The same list is no event`() {
        #expect(WatchEvent(.popular, from: list(1), to: list(1)) == nil)
    }

    @Test(
        arguments: [
            (.user(.loading), ["user\tloading"]),
            (.user(.error("no\nanswer")), ["user\terror\tno\u{FFFD}answer"]),
            (
                .user(.loaded(User(id: 7, name: "Ada", username: "ada"))),
                ["user\tloaded\t7\tAda\tada\t"]
            ),
            (
                .engine(EngineEvent(step: .stop, phase: .will, reason: "SIGTERM")),
                ["engine\tstop\twill\tSIGTERM"]
            ),
            (
                .reset(
                    "top_rated",
                    MovieList(
                        movies: [Movie(id: 9, title: "Film")],
                        status: MovieListStatus(
                            phase: .error, message: "why", page: 1, pages: 2, total: 1,
                            complete: false))),
                [
                    "movies/top_rated\treset", "movies/top_rated\tmovie\t9\tFilm\t\t",
                    "movies/top_rated\terror\t1\t1\t2\twhy",
                ]
            ),
        ] as [(WatchEvent, [String])])
    func `Each event has its plain lines`(event: WatchEvent, lines: [String]) {
        #expect(event.lines(terminalWidth: nil, style: .plain) == lines)
    }

    @Test func `On a terminal the lines of one event line up`() {
        let movies = [Movie(id: 496243, title: "기생충"), Movie(id: 1, title: "Psycho")]
        let event = WatchEvent.appended(.popular, at: 0, movies, list(1, 2).status)
        #expect(
            event.lines(terminalWidth: 40, style: .plain) == [
                "movies  movie  496243  기생충", "movies  movie       1  Psycho",
                "movies  idle  2  1  2",
            ])
    }

    @Test func `The JSON form has the topic and the data of the protocol`() {
        #expect(
            WatchEvent.user(.error("a\u{9B}b")).json
                == "{\"topic\":\"user\",\"data\":{\"state\":\"error\",\"message\":\"a\\u009bb\"}}")
        #expect(
            WatchEvent.appended("upcoming", at: 3, [], .empty).json
                == "{\"topic\":\"movies/upcoming\",\"data\":{\"op\":\"append\",\"at\":3,\"items\":[],"
                + "\"status\":{\"phase\":\"idle\",\"page\":0,\"pages\":0,\"total\":0,"
                + "\"complete\":false}}}")
    }
}
