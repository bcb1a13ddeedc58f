// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherClient
internal import UsherWire

extension Report {
    static func readStatus(
        from client: UsherClient, daemon: Daemon
    ) async throws(ClientError) -> Report {
        let uptime = try await client.ping()
        let user = try await client.readUser()
        let page = try await client.readMovies(limit: 1)
        return status(of: daemon, uptime: uptime, user: user, movies: page.status)
    }

    /// The daemon, the user and the popular movies, a row each.
    package static func status(
        of daemon: Daemon, uptime: Duration, user: UserState, movies: MovieListStatus
    ) -> Report {
        var table = Table([
            .init("WHAT"), .init("STATE", isState: true), .init("DETAILS", isFlexible: true),
        ])
        table.append([
            "daemon", daemon.isDegraded ? "degraded" : "running",
            "version \(daemon.version), up \(uptime.inWords), role \(daemon.role)",
        ])
        let name = user.user.map { "\($0.name) (\($0.username))" } ?? ""
        table.append(["user", user.word, name])
        let pages = movies.pages > 0 ? ", page \(movies.page) of \(movies.pages)" : ""
        table.append(["movies", movies.phase.rawValue, "\(movies.total) movies\(pages)"])
        let json = JSONWriter.text { writer in
            writer.raw("{\"daemon\":{\"version\":")
            writer.string(daemon.version)
            writer.raw(",\"role\":")
            writer.string(daemon.role)
            writer.raw(",\"uptime_ms\":")
            writer.integer(Int64(uptime / .milliseconds(1)))
            writer.raw(",\"degraded\":")
            writer.boolean(daemon.isDegraded)
            writer.raw("},\"user\":")
            writer.userState(user)
            writer.raw(",\"movies\":")
            writer.movieListStatus(movies)
            writer.raw("}")
        }
        var report = Report(table: table, json: json)
        if daemon.isDegraded {
            report.notes.append(
                "the daemon cannot store anything, and refuses changes until it can; "
                    + "its log has the cause")
            report.exitCode = .stateIsError
        }
        if case .error(let message) = user {
            report.notes.append("the user could not be fetched: \(message)")
            report.exitCode = .stateIsError
        }
        if movies.phase == .error {
            report.notes.append(
                "the last page of movies could not be fetched: \(movies.message ?? "")")
            report.exitCode = .stateIsError
        }
        return report
    }
}
