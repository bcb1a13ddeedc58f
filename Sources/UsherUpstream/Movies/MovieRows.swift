// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherWire

/// Rows of films, each decoded by itself: one that makes no sense is counted and left out.
struct MovieRows {
    /// Bytes of a film's JSON on the wire; a larger film is left out, since several have to fit a
    /// line.
    static let encodedMovieBytes = 16 * 1_024

    private(set) var movies: [EncodedMovie] = []
    private(set) var droppedRows = 0
    /// How many members of the rows that are kept were left out or taken though they are odd.
    private(set) var repairedFields = 0

    /// Reads an array of rows; nil if the value is none.
    init?(_ value: ReceivedValue) {
        guard let rows = value.elements else { return nil }
        for value in rows {
            if let row = MovieRow(value), case let movie = EncodedMovie(row.movie),
                movie.json.count <= Self.encodedMovieBytes
            {
                movies.append(movie)
                repairedFields += row.repairedFields
            } else {
                droppedRows += 1
            }
        }
    }

    /// Whether there were rows, and none of them made sense.
    var isAllBad: Bool { movies.isEmpty && droppedRows > 0 }
}

/// A page as TMDB sends it; members that are not named here are ignored.
struct MovieEnvelope {
    let page: Int64?
    let results: MovieRows
    let totalPages: Int64?

    /// Reads a page; nil if the value is none.
    init?(_ value: ReceivedValue) {
        guard let members = value.members, let results = members["results"].flatMap(MovieRows.init)
        else { return nil }
        let numbers = [members["page"], members["total_pages"]]
        guard numbers.allSatisfy({ $0 == nil || $0?.integer != nil }) else { return nil }
        self.results = results
        page = numbers[0]?.integer
        totalPages = numbers[1]?.integer
    }
}

/// What the first byte of a text says of it, before any parser sees it.
enum JSONShape {
    case empty
    case object
    case array
    /// Begins with `<`: HTML of a proxy, a sign-in page, or an error page.
    case markup
    case other

    init(of bytes: [UInt8]) {
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        switch first {
        case nil: self = .empty
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "<"): self = .markup
        default: self = .other
        }
    }
}
