// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherWire

/// A film as a service sends it.
///
/// A row needs a number and a title; whatever else makes no sense is left out.
struct MovieRow {
    let movie: Movie
    /// How many members were left out, or taken though they are odd.
    let repairedFields: Int

    /// Reads a row; nil if it makes no sense.
    init?(_ value: ReceivedValue) {
        guard let members = value.members, let id = members["id"]?.integer, id > 0 else {
            return nil
        }
        var row = TolerantMembers(members)
        let originalTitle = row.text("original_title")
        let ownTitle = row.text("title")
        guard let title = ownTitle ?? originalTitle else { return nil }
        var movie = Movie(id: id, title: title)
        movie.originalTitle = originalTitle
        movie.originalLanguage = row.text("original_language")
        movie.overview = row.text("overview")
        movie.releaseDate = row.text("release_date", as: Self.date)
        movie.posterPath = row.text("poster_path", as: Self.imagePath)
        movie.backdropPath = row.text("backdrop_path", as: Self.imagePath)
        movie.genreIDs = row.value("genre_ids") { $0.integers }
        movie.popularity = row.number("popularity")
        movie.voteAverage = row.number("vote_average")
        movie.voteCount = row.value("vote_count") { $0.integer }
        movie.adult = row.value("adult") { $0.boolean }
        movie.video = row.value("video") { $0.boolean }
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
private struct TolerantMembers {
    let members: ReceivedValue.Members
    /// How many were there and made no sense as they are.
    ///
    /// Missing and null ones are in order.
    private(set) var repairs = 0

    init(_ members: ReceivedValue.Members) {
        self.members = members
    }

    /// What `read` makes of a member; nil if it is missing or null, or `read` makes nothing of it.
    mutating func value<Value>(
        _ name: StaticString, read: (ReceivedValue) -> Value?
    ) -> Value? {
        guard let member = members[name] else { return nil }
        let value = read(member)
        if value == nil { repairs += 1 }
        return value
    }

    /// The same for text, where empty means that there is none, in the form that `form` gives it.
    mutating func text(_ name: StaticString, as form: (String) -> String? = { $0 }) -> String? {
        guard let text = value(name, read: { $0.text }), !text.isEmpty else { return nil }
        let result = form(text)
        if result != text { repairs += 1 }
        return result
    }

    /// The same for numbers, which old answers hold as text.
    mutating func number(_ name: StaticString) -> Double? {
        guard let member = members[name] else { return nil }
        if let number = member.number { return number }
        repairs += 1
        return member.text.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    }
}
