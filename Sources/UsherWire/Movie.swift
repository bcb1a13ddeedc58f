// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A film, with the field names of the service it comes from (TMDB v3); unknown facts are nil.
public struct Movie: Sendable, Hashable, Identifiable {
    /// The film's number in its service; always above zero.
    public let id: Int64
    /// The title in the language that the daemon asks for.
    public let title: String
    /// The title in the film's own language.
    public var originalTitle: String?
    /// ISO 639-1.
    public var originalLanguage: String?
    /// A summary; services send an empty text for none, which is nil here.
    public var overview: String?
    /// `YYYY-MM-DD` as the service sent it, not checked to be a real day.
    public var releaseDate: String?
    /// The poster's path, to be put behind the image server's base address and a size.
    public var posterPath: String?
    /// The backdrop's path, used like ``posterPath``.
    public var backdropPath: String?
    /// The service's numbers of the genres.
    public var genreIDs: [Int64]?
    /// The service's own measure, comparable only within one answer.
    public var popularity: Double?
    /// 0 to 10.
    public var voteAverage: Double?
    /// How many votes made ``voteAverage``.
    public var voteCount: Int64?
    /// Whether the service marks the film as for adults.
    public var adult: Bool?
    /// Whether the entry is a video rather than a film.
    public var video: Bool?

    /// Makes a film from the two facts that are always known.
    public init(id: Int64, title: String) {
        self.id = id
        self.title = title
    }
}

/// A film in the form that the daemon keeps: its number, and the JSON object that goes out on the wire.
///
/// Lists are sent far more often than they are received, so each film is encoded once, when it arrives.
package struct EncodedMovie: Sendable, Hashable {
    package let id: Int64
    /// One JSON object without a line end, escaped as the protocol says.
    package let json: [UInt8]

    package init(id: Int64, json: [UInt8]) {
        self.id = id
        self.json = json
    }

    package init(_ movie: Movie) {
        var writer = JSONWriter()
        writer.movie(movie)
        self.init(id: movie.id, json: writer.bytes)
    }
}
