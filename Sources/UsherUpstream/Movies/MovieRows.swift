// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import UsherWire

/// Rows of films, each decoded by itself: one that makes no sense is counted and left out.
struct MovieRows: Decodable {
    /// Bytes of a film's JSON on the wire; a larger film is left out, since several have to fit a
    /// line.
    static let encodedMovieBytes = 16 * 1_024

    private(set) var movies: [EncodedMovie] = []
    private(set) var droppedRows = 0
    /// How many members of the rows that are kept were left out or taken though they are odd.
    private(set) var repairedFields = 0

    init(from decoder: any Decoder) throws {
        var rows = try decoder.unkeyedContainer()
        while !rows.isAtEnd {
            let row = try rows.decode(TolerantRow.self).row
            if let row, case let movie = EncodedMovie(row.movie),
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

    /// Never fails, so that the rows after a bad one are reached.
    private struct TolerantRow: Decodable {
        let row: MovieRow?

        init(from decoder: any Decoder) {
            row = try? MovieRow(from: decoder)
        }
    }
}

/// A page as TMDB sends it; members that are not named here are ignored.
struct MovieEnvelope: Decodable {
    let page: Int?
    let results: MovieRows
    let totalPages: Int?

    private enum CodingKeys: String, CodingKey {
        case page, results
        case totalPages = "total_pages"
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

/// Decodes a JSON text; nil if it is not one, or not of this form.
func decodeJSON<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(type, from: Data(bytes))
}
