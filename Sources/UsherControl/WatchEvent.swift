// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherClient
package import UsherWire

/// Something that `watch` shows: a topic's present state, or a change of it.
package enum WatchEvent: Sendable, Equatable {
    case user(UserState)
    /// A list as it is when `watch` begins.
    case present(MovieListName, MovieList)
    /// Movies behind those that were shown before; none when only the status has changed.
    case appended(MovieListName, at: Int, [Movie], MovieListStatus)
    /// A list that began anew: what was shown before is gone.
    case reset(MovieListName, MovieList)
    case engine(EngineEvent)

    /// What leads from one list to the next; nil when both are the same.
    package init?(_ name: MovieListName, from old: MovieList?, to new: MovieList) {
        guard old != new else { return nil }
        guard let old else {
            self = .present(name, new)
            return
        }
        guard new.movies.starts(with: old.movies) else {
            self = .reset(name, new)
            return
        }
        let added = new.movies.dropFirst(old.movies.count)
        self = .appended(name, at: old.movies.count, Array(added), new.status)
    }

    /// The topic as `watch` takes it.
    package var topicName: String { topic.description }

    private var topic: WatchTopic {
        switch self {
        case .user: .user
        case .present(let list, _), .appended(let list, _, _, _), .reset(let list, _):
            .movies(list.rawValue)
        case .engine: .engine
        }
    }
}

// MARK: For programs

extension WatchEvent {
    /// One line of JSON: the topic, and the data as a push of the protocol has it.
    package var json: String {
        JSONWriter.text { writer in
            writer.raw("{\"topic\":")
            writer.string(topic.description)
            writer.raw(",\"data\":")
            switch self {
            case .user(let state): writer.userState(state)
            case .present(_, let list), .reset(_, let list):
                writer.listChange("reset", at: 0, list.movies, list.status)
            case .appended(_, let start, let movies, let status):
                writer.listChange("append", at: start, movies, status)
            case .engine(let event): writer.engineEvent(event)
            }
            writer.raw("}")
        }.escapedForTerminal
    }
}

extension JSONWriter {
    fileprivate mutating func listChange(
        _ operation: String, at start: Int, _ movies: [Movie], _ status: MovieListStatus
    ) {
        raw("{\"op\":")
        string(operation)
        raw(",\"at\":")
        integer(start)
        raw(",\"items\":")
        movieArray(movies)
        raw(",\"status\":")
        movieListStatus(status)
        raw("}")
    }
}

// MARK: For people, and for simple programs

extension WatchEvent {
    /// The lines of the text form: the topic, a word for what happened, and what belongs to it.
    package func lines(terminalWidth: Int?, style: Style) -> [String] {
        tables.flatMap { table in
            terminalWidth.map { table.laidOut(toWidth: $0, style: style, hasHeader: false) }
                ?? table.tabSeparated
        }
    }

    private var tables: [Table] {
        switch self {
        case .user(.error(let message)): [line("error", message)]
        case .user(let state):
            [
                state.user == nil
                    ? line(state.word) : rows(Report.userColumns, [[state.word] + state.details])
            ]
        case .present(_, let list): [moviesTable(list.movies), line(of: list.status)]
        case .reset(_, let list):
            [line("reset"), moviesTable(list.movies), line(of: list.status)]
        case .appended(_, _, let movies, let status): [moviesTable(movies), line(of: status)]
        case .engine(let event): [line(event.step.rawValue, event.phase.rawValue, event.reason)]
        }
    }

    private func moviesTable(_ movies: [Movie]) -> Table {
        rows([.init("EVENT")] + Report.movieColumns, movies.map { ["movie"] + $0.cells })
    }

    /// The phase, how many movies there are, the page and the pages, and what went wrong.
    private func line(of status: MovieListStatus) -> Table {
        line(
            status.phase.rawValue, String(status.total), String(status.page),
            String(status.pages), status.message)
    }

    private func line(_ word: String, _ rest: String?...) -> Table {
        let rest = rest.compactMap(\.self)
        return rows(
            [.init("EVENT", isState: true)] + rest.map { _ in .init("", isFlexible: true) },
            [[word] + rest])
    }

    private func rows(_ columns: [Table.Column], _ rows: [[String]]) -> Table {
        var table = Table([.init("TOPIC")] + columns)
        for row in rows { table.append([topic.description] + row) }
        return table
    }
}
