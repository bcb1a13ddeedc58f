// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Testing
internal import UsherClient
internal import UsherControl
internal import UsherWire

@Suite struct ReportTests {
    private func plain(_ report: Report) -> [String] {
        report.lines(asJSON: false, terminalWidth: nil, style: .plain)
    }

    private func status(
        _ phase: MovieListStatus.Phase = .idle, message: String? = nil, total: Int = 0,
        complete: Bool = false
    ) -> MovieListStatus {
        MovieListStatus(
            phase: phase, message: message, page: 1, pages: 5, total: total, complete: complete)
    }

    @Test func `A list that failed ends with 3, tells why, and still shows its movies`() {
        let list = MovieList(
            movies: [Movie(id: 1, title: "A")], status: status(.error, message: "why", total: 1))
        let report = Report.movies(list, named: .topRated)
        #expect(report.exitCode == .stateIsError)
        #expect(report.notes == ["the last page of top_rated could not be fetched: why"])
        #expect(report.hints == ["fetch it again with: usherctl movies more --list top_rated"])
        #expect(plain(report) == ["1\tA\t\t"])
    }

    @Test func `A daemon that cannot store is told, and ends with 3`() {
        let daemon = Daemon(version: "0.1.0", role: "read", user: nil, isDegraded: true)
        let report = Report.status(
            of: daemon, uptime: .seconds(1), user: .initial, movies: status())
        #expect(plain(report)[0] == "daemon\tdegraded\tversion 0.1.0, up 1 s, role read")
        #expect(report.exitCode == .stateIsError)
        #expect(report.notes.count == 1)
        let json = report.lines(asJSON: true, terminalWidth: nil, style: .plain)
        #expect(json.joined().contains(#""degraded":true"#))
    }

    @Test func `Only a person is told that there are more pages`() {
        let list = MovieList(movies: [Movie(id: 1, title: "A")], status: status(total: 1))
        let report = Report.movies(list, named: .popular)
        #expect(report.notes == [])
        #expect(report.hints == ["page 1 of 5; get the next one with: usherctl movies more"])
        let complete = MovieList(movies: list.movies, status: status(total: 1, complete: true))
        #expect(Report.movies(complete, named: .popular).hints == [])
    }

    @Test(
        arguments: [
            (8.5, "8.5"), (8.54, "8.5"), (8.55, "8.6"), (10, "10.0"), (0, "0.0"), (-1, ""),
            (.nan, ""), (1e300, ""),
        ] as [(Double, String)])
    func `A rating has one digit behind the point`(rating: Double, shown: String) {
        var movie = Movie(id: 1, title: "A")
        movie.voteAverage = rating
        let list = MovieList(movies: [movie], status: status(total: 1))
        #expect(plain(Report.movies(list, named: .popular)) == ["1\tA\t\t\(shown)"])
    }

    @Test(arguments: [
        (0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (7_384, "2 h 3 min"), (90_000, "1 d 1 h"),
    ])
    func `An uptime is told in its two largest units`(seconds: Int, words: String) {
        let report = Report.ping(
            roundTrip: .microseconds(1_234), uptime: .seconds(seconds),
            daemon: Daemon(version: "0.1.0", role: "read", user: nil))
        #expect(plain(report) == ["1.234 ms\t\(words)\t0.1.0\tread"])
    }

    @Test func `Counters are told by their path in alphabetical order`() {
        let report = Report.stats(
            "{\"b\":{\"y\":2,\"x\":1.5},\"a\":[true,null],\"c\":\"t\\u001b\"}")
        #expect(plain(report) == ["a.0\ttrue", "a.1\t", "b.x\t1.5", "b.y\t2", "c\tt\u{FFFD}"])
    }

    @Test func `A terminal is shown no header without rows`() {
        let report = Report.movies(MovieList(), named: .popular)
        #expect(report.lines(asJSON: false, terminalWidth: 80, style: .plain) == [])
    }

    @Test(
        arguments: [
            (.missingSocket, .noDaemon), (.staleSocket, .noDaemon), (.forbiddenSocket, .noDaemon),
            (.connectionLost, .noDaemon), (.timedOut, .timedOut), (.invalidRequest, .usage),
            (.refused, .daemonRefused), (.unexpectedReply, .daemonRefused),
        ] as [(ClientError.Code, ExitCode)])
    func `Each failure has its exit code`(code: ClientError.Code, exitCode: ExitCode) {
        #expect(Failure(ClientError(code, "why")).exitCode == exitCode)
    }

    @Test func `A refusal is told with its reason`() {
        let error = ClientError(.refused, "there is no list x", reason: "not_found")
        #expect(Failure(error).message == "there is no list x (not_found)")
    }
}
