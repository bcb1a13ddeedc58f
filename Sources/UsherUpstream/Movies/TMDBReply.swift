// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherWire

/// What an answer of TMDB means.
///
/// Pure; runs on any thread.
struct TMDBReply: Sendable {
    /// The page that was asked for.
    let page: Int
    /// The service's host, for messages.
    let place: String
    /// What the key is and where it came from, for messages: `the v3 key from TMDB_API_KEY`.
    let keyDescription: String

    /// Codes of TMDB's error bodies that are about the key: invalid, no permission, suspended, and
    /// relatives.
    private static let keyCodes: Set<Int> = [3, 7, 10, 14, 26, 30, 31, 32, 33, 35]
    /// The code for a page that is not within 1 to 500.
    private static let pageCode = 22

    func read(_ response: HTTPResponse) -> Result<FetchedPage, UpstreamError> {
        guard response.status == 200 else { return .failure(error(response)) }
        if let error = failures.error(JSONShape(of: response.body)) { return .failure(error) }
        return page(response.body)
    }

    private var failures: ReplyFailures { ReplyFailures(place: place, wanted: "page") }

    private func page(_ body: [UInt8]) -> Result<FetchedPage, UpstreamError> {
        guard let envelope = ReceivedJSON(body).flatMap({ MovieEnvelope($0.root) }),
            let pages = envelope.totalPages, envelope.page == Int64(page)
        else {
            return .failure(
                failures.bad("\(place) sent JSON that is not the page \(page) asked for"))
        }
        let rows = envelope.results
        guard !rows.isAllBad else {
            return .failure(
                failures.bad("none of the \(rows.droppedRows) rows that \(place) sent makes sense"))
        }
        guard !rows.movies.isEmpty else { return .failure(endOfList) }
        return .success(
            FetchedPage(
                page: page, pages: Int(pages), movies: rows.movies, droppedRows: rows.droppedRows,
                repairedFields: rows.repairedFields))
    }

    private func error(_ response: HTTPResponse) -> UpstreamError {
        let code = ownCode(response.body)
        let detail = ReplyFailures.detail(response, code: code)
        switch response.status {
        case 422: return endOfList
        case 400 where code == Self.pageCode: return endOfList
        case 401: return unauthorized(detail)
        case 403 where code.map(Self.keyCodes.contains) == true: return unauthorized(detail)
        case 404:
            return UpstreamError(
                .notFound, "\(place) has no such list (\(detail)); check the base address")
        default: return failures.error(response, code: code)
        }
    }

    /// TMDB's own code in the body of an error; the text beside it is not used, since it comes from outside.
    private func ownCode(_ body: [UInt8]) -> Int? {
        ReceivedJSON(body)?.root.members?["status_code"]?.integer.map { Int($0) }
    }

    private var endOfList: UpstreamError {
        UpstreamError(.endOfList, "the list has no page \(page)")
    }

    private func unauthorized(_ detail: String) -> UpstreamError {
        UpstreamError(
            .unauthorized, "TMDB refused \(keyDescription) (\(detail)); check the key")
    }
}
