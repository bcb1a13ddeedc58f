// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import UsherWire

/// A film as a service sends it.
///
/// A row needs a number and a title; whatever else makes no sense is left out.
struct MovieRow: Decodable {
    let movie: Movie
    /// How many members were left out, or taken though they are odd.
    let repairedFields: Int

    private enum CodingKeys: String, CodingKey {
        case id, title, overview, popularity, adult, video
        case originalTitle = "original_title"
        case originalLanguage = "original_language"
        case releaseDate = "release_date"
        case posterPath = "poster_path"
        case backdropPath = "backdrop_path"
        case genreIDs = "genre_ids"
        case voteAverage = "vote_average"
        case voteCount = "vote_count"
    }

    init(from decoder: any Decoder) throws {
        var row = TolerantFields(try decoder.container(keyedBy: CodingKeys.self))
        let id = try row.container.decode(Int64.self, forKey: .id)
        let originalTitle = row.text(.originalTitle)
        let ownTitle = row.text(.title)
        guard id > 0, let title = ownTitle ?? originalTitle else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no number or no title"))
        }
        var movie = Movie(id: id, title: title)
        movie.originalTitle = originalTitle
        movie.originalLanguage = row.text(.originalLanguage)
        movie.overview = row.text(.overview)
        movie.releaseDate = row.text(.releaseDate, as: Self.date)
        movie.posterPath = row.text(.posterPath, as: Self.imagePath)
        movie.backdropPath = row.text(.backdropPath, as: Self.imagePath)
        movie.genreIDs = row.value(.genreIDs)
        movie.popularity = row.number(.popularity)
        movie.voteAverage = row.number(.voteAverage)
        movie.voteCount = row.value(.voteCount)
        movie.adult = row.value(.adult)
        movie.video = row.value(.video)
        self.movie = movie
        repairedFields = row.repairs + (ownTitle == nil ? 1 : 0)
    }

    /// The day of `YYYY-MM-DD`, which a time may follow; nil for other forms.
    static func date(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 10 else { return nil }
        let isDay = bytes[..<10].enumerated().allSatisfy { index, byte in
            index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte)
        }
        guard isDay, bytes.count == 10 || bytes[10] == UInt8(ascii: "T") else { return nil }
        return String(decoding: bytes[..<10], as: UTF8.self)
    }

    /// The path of an image, if it is a slash, 1 to 64 ASCII letters and digits, and the ending of
    /// an image.
    ///
    /// Clients put the path behind an address: nothing that could lead elsewhere gets through.
    static func imagePath(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].first == UInt8(ascii: "/"), text.utf8.count <= 80,
            ["jpg", "jpeg", "png", "svg", "webp"].contains(Substring(parts[1]))
        else { return nil }
        let name = parts[0].dropFirst()
        let isPlain = name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: false
            }
        }
        return isPlain && (1...64).contains(name.count) ? text : nil
    }
}

/// Members of a row that may be missing or odd; counts those that were.
private struct TolerantFields<Key: CodingKey> {
    let container: KeyedDecodingContainer<Key>
    /// How many were there and made no sense as they are.
    ///
    /// Missing and null ones are in order.
    private(set) var repairs = 0

    init(_ container: KeyedDecodingContainer<Key>) {
        self.container = container
    }

    /// The value of a member; nil if it is missing, null or of another type.
    mutating func value<Value: Decodable>(_ key: Key) -> Value? {
        guard isThere(key) else { return nil }
        let value = try? container.decode(Value.self, forKey: key)
        if value == nil { repairs += 1 }
        return value
    }

    /// The same for text, where empty means that there is none, in the form that `form` gives it.
    mutating func text(_ key: Key, as form: (String) -> String? = { $0 }) -> String? {
        guard let text: String = value(key), !text.isEmpty else { return nil }
        let result = form(text)
        if result != text { repairs += 1 }
        return result
    }

    /// The same for numbers, which old answers hold as text.
    mutating func number(_ key: Key) -> Double? {
        guard isThere(key) else { return nil }
        if let number = try? container.decode(Double.self, forKey: key) { return number }
        repairs += 1
        let text = try? container.decode(String.self, forKey: key)
        return text.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    }

    private func isThere(_ key: Key) -> Bool {
        (try? container.decodeNil(forKey: key)) == false
    }
}
