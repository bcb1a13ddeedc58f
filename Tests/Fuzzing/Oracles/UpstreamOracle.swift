// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import UsherJSON
import UsherWire

@testable import UsherUpstream

/// Whatever services and user databases hold, what is kept of it can go out on the wire.
struct UpstreamOracle: Oracle {
    private let written = WrittenJSON()

    /// Nesting that Foundation reads, with room for what is put around an input.
    private static let foundationDepth = 500

    /// What may be wrong with a row that is not to cost more than itself.
    private static let own: Set<ReferenceJSON.Rule> = [
        .loneSurrogate, .numberRange, .trailingComma, .duplicateKey,
    ]

    func check(_ input: [UInt8]) throws(Finding) {
        if let page = read(input) { try check(page, of: input) }
        try checkRow(input)
        for body in [input, Array("{\"id\":1,".utf8) + input + Array("}".utf8)] {
            let reply = UserReply(id: 1, place: "service.test")
            if case .success(let fetched) = reply.read(HTTPResponse(status: 200, body: body)) {
                let user = fetched.user
                try require(user.id == 1 && !user.name.isEmpty, "not a user: \(shown(body))")
                try check(user)
            }
        }
        let fields = input.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
        try check(
            PasswdRecord(uid: 7, login: Array(fields[0]), gecos: Array(fields.dropFirst().joined()))
                .user)
    }

    private func read(_ body: [UInt8]) -> FetchedPage? {
        let reply = TMDBReply(page: 1, place: "api.test", keyDescription: "no key")
        return try? reply.read(HTTPResponse(status: 200, body: body)).get()
    }

    // MARK: Movies

    /// A row that is JSON of any kind never costs the row after it.
    private func checkRow(_ row: [UInt8]) throws(Finding) {
        let body =
            Array("{\"page\":1,\"total_pages\":9,\"results\":[".utf8) + row
            + Array(",{\"id\":5,\"title\":\"five\"}]}".utf8)
        let page = read(body)
        if let page { try check(page, of: body) }
        let broken = ReferenceJSON(row, depthLimit: Self.foundationDepth).broken
        guard broken.isSubset(of: Self.own) else { return }
        guard let page else { throw Finding(description: "a row cost its page: \(shown(row))") }
        try require(page.movies.last?.id == 5, "a row cost the next: \(shown(row))")
        try require(page.movies.count + page.droppedRows == 2, "not two rows: \(shown(row))")
    }

    private func check(_ page: FetchedPage, of body: [UInt8]) throws(Finding) {
        try require(
            page.page == 1 && (1...Limits.lastPage).contains(page.pages),
            "page \(page.page) of \(page.pages)")
        for movie in page.movies {
            try require(
                movie.json.count <= MovieRows.encodedMovieBytes, "a film is too large for a line")
            try check(movie)
        }
        // With a key twice, it is not said which one counts.
        guard ReferenceJSON(body, depthLimit: Self.foundationDepth).broken.isEmpty,
            let envelope = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            let rows = envelope["results"] as? [Any]
        else { return }
        try require(
            page.movies.count + page.droppedRows == rows.count,
            "\(page.movies.count) films and \(page.droppedRows) dropped of \(rows.count) rows")
    }

    private func check(_ movie: EncodedMovie) throws(Finding) {
        let root = try written.parse(movie.json)
        let parser = written.parser
        guard parser.kind(root) == .object, let id = parser.firstChild(root),
            parser.text(id, is: "id"), parser.integer(parser.value(ofKey: id)) == movie.id,
            let title = parser.sibling(after: parser.value(ofKey: id), in: root),
            parser.text(title, is: "title"),
            !parser.string(parser.value(ofKey: title)).isEmpty, movie.id > 0
        else { throw Finding(description: "not a film: \(shown(movie.json))") }
    }

    // MARK: Users

    private func check(_ user: User) throws(Finding) {
        var writer = JSONWriter()
        writer.userState(.loaded(user))
        _ = try written.parse(writer.bytes)
        for text in [user.name, user.username, user.phone ?? ""] {
            try require(
                text.utf8.count <= User.textBytes, "a user's text of \(text.utf8.count) bytes")
        }
    }
}
