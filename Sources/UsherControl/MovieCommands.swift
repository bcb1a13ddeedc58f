// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherClient
package import UsherWire

extension Report {
    static let movieColumns: [Table.Column] = [
        .init("ID", .right), .init("TITLE", isFlexible: true), .init("RELEASED"),
        .init("RATING", .right),
    ]

    /// The movies of a list, and how to get more of them.
    package static func movies(_ list: MovieList, named name: MovieListName) -> Report {
        var report = stretch(list.movies, offset: 0, status: list.status, of: name)
        let status = list.status
        let next = "usherctl movies more" + name.option
        if status.phase == .error {
            let reason = status.message.map { ": \($0)" } ?? ""
            report.notes = ["the last page of \(name) could not be fetched\(reason)"]
            report.hints = ["fetch it again with: \(next)"]
            report.exitCode = .stateIsError
        } else if status.phase == .loading {
            report.notes = [
                "a page of \(name) is being fetched; see it come with: "
                    + "usherctl watch \(WatchTopic.movies(name.rawValue))"
            ]
        } else if status.total == 0 {
            report.notes = ["the list \(name) is empty; get its first page with: \(next)"]
        } else if !status.complete {
            report.hints = [
                "page \(status.page) of \(status.pages); get the next one with: \(next)"
            ]
        }
        return report
    }

    /// What was appended to a list, or the beginning of it.
    package static func page(
        _ page: MoviePage, limit: Int? = nil, of name: MovieListName
    ) -> Report {
        let movies = Array(page.movies.prefix(limit ?? .max))
        var report = stretch(movies, offset: page.offset, status: page.status, of: name)
        if page.movies.isEmpty {
            report.notes = ["page \(page.status.page) of \(name) brought no movie that is new"]
        }
        return report
    }

    private static func stretch(
        _ movies: [Movie], offset: Int, status: MovieListStatus, of name: MovieListName
    ) -> Report {
        var table = Table(movieColumns)
        for movie in movies { table.append(movie.cells) }
        let json = JSONWriter.text { writer in
            writer.raw("{\"list\":")
            writer.string(name.rawValue)
            writer.raw(",\"offset\":")
            writer.integer(offset)
            writer.raw(",\"items\":")
            writer.movieArray(movies)
            writer.raw(",\"status\":")
            writer.movieListStatus(status)
            writer.raw("}")
        }
        return Report(table: table, json: json)
    }

    /// What a list is doing.
    package static func status(_ status: MovieListStatus, of name: MovieListName) -> Report {
        var table = Table([
            .init("LIST"), .init("STATE", isState: true), .init("MOVIES", .right),
            .init("PAGE", .right), .init("PAGES", .right),
        ])
        table.append([
            name.rawValue, status.phase.rawValue, String(status.total), String(status.page),
            String(status.pages),
        ])
        let json = JSONWriter.text { writer in
            writer.raw("{\"list\":")
            writer.string(name.rawValue)
            writer.raw(",\"status\":")
            writer.movieListStatus(status)
            writer.raw("}")
        }
        return Report(table: table, json: json)
    }

    // MARK: Requests

    /// Asks for stretch after stretch until the limit or the end: a line of the protocol holds
    /// only so many.
    static func readMovies(
        _ name: MovieListName, limit: Int?, from client: UsherClient
    ) async throws(ClientError) -> Report {
        var list = MovieList()
        let limit = limit ?? .max
        repeat {
            let page = try await client.readMovies(
                offset: list.movies.count,
                limit: min(limit - list.movies.count, Limits.moviesPerRequest), list: name)
            list.movies += page.movies
            list.status = page.status
            if page.movies.isEmpty { break }
        } while list.movies.count < min(limit, list.status.total)
        return movies(list, named: name)
    }

    static func fetchMoreMovies(
        _ name: MovieListName, limit: Int?, from client: UsherClient
    ) async throws(ClientError) -> Report {
        page(try await client.fetchMoreMovies(list: name), limit: limit, of: name)
    }

    static func refreshMovies(
        _ name: MovieListName, at client: UsherClient
    ) async throws(ClientError) -> Report {
        status(try await client.refreshMovies(list: name), of: name)
    }
}

extension Movie {
    /// Number, title, day of release, rating; empty where it is not known.
    var cells: [String] {
        [String(id), title, releaseDate ?? "", voteAverage.map(Self.rating) ?? ""]
    }

    /// With one digit behind the point, as services show it.
    private static func rating(_ value: Double) -> String {
        guard (0...1_000).contains(value) else { return "" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension MovieListName {
    /// The option that names the list; nothing for the list that is meant without it.
    fileprivate var option: String {
        self == .popular ? "" : " --list \(rawValue)"
    }
}
