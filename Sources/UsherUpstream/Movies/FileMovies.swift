// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherEventLoop
package import UsherWire

/// One list of films from a JSON file: an array of films, or an object with the films in `results`,
/// as TMDB sends them.
///
/// The file is read again whenever page 1 is asked for, on the thread pool; other pages come from
/// the last reading, so that they fit each other. Films past the last page that can be asked for
/// are not served.
package final class FileMovies: MovieService {
    /// Bytes of a file.
    package static let fileBytes = 16 * 1_024 * 1_024

    package let lists: [MovieListName] = [.popular]
    package private(set) var counters = UpstreamCounters()

    private let loop: EventLoop
    private let path: String
    private var movies: [EncodedMovie]?
    private var isClosed = false

    package init(on loop: EventLoop, path: String) {
        self.loop = loop
        self.path = path
    }

    package func fetch(
        _ list: MovieListName, page: Int,
        completion: @escaping (Result<FetchedPage, UpstreamError>) -> Void
    ) {
        guard !isClosed else { return }
        guard lists.contains(list) else {
            completion(.failure(unknownList(list)))
            return
        }
        if page != 1, let movies {
            completion(PageOfTwenty.page(page, of: movies))
            return
        }
        let path = path
        loop.work {
            MovieFile.read(path)
        } then: { [weak self] result in
            guard let self, !isClosed else { return }
            completion(result.flatMap { self.take($0, page: page) })
        }
    }

    package func close() {
        isClosed = true
    }

    private func take(_ rows: MovieRows, page: Int) -> Result<FetchedPage, UpstreamError> {
        movies = rows.movies
        counters.droppedRows += rows.droppedRows
        counters.repairedFields += rows.repairedFields
        return PageOfTwenty.page(page, of: rows.movies, droppedRows: rows.droppedRows)
    }
}

/// Reads a file of films; blocks.
enum MovieFile {
    static func read(_ path: String) -> Result<MovieRows, UpstreamError> {
        switch SmallFile.read(path, limit: FileMovies.fileBytes) {
        case .success(let file): decode(file.bytes, path: path)
        case .failure(let failure): .failure(failure.error(path, what: "the movies"))
        }
    }

    private static func decode(
        _ bytes: [UInt8], path: String
    ) -> Result<MovieRows, UpstreamError> {
        let rows =
            switch JSONShape(of: bytes) {
            case .array: ReceivedJSON(bytes).flatMap { MovieRows($0.root) }
            case .object: ReceivedJSON(bytes).flatMap { MovieEnvelope($0.root) }?.results
            case .empty, .markup, .other: MovieRows?.none
            }
        guard let rows else {
            return .failure(
                UpstreamError(
                    .badReply,
                    "\(path) is neither a JSON array of films nor an object with them in results"))
        }
        guard !rows.isAllBad else {
            return .failure(
                UpstreamError(
                    .badReply,
                    "none of the \(rows.droppedRows) films in \(path) has both an id and a title"))
        }
        return .success(rows)
    }
}

/// Cuts a list into pages, as TMDB does.
enum PageOfTwenty {
    /// Films of a page.
    static let movies = 20

    static func page(
        _ page: Int, of all: [EncodedMovie], droppedRows: Int = 0
    ) -> Result<FetchedPage, UpstreamError> {
        let pages = min((all.count + movies - 1) / movies, Limits.lastPage)
        guard page >= 1, page <= pages else {
            return .failure(UpstreamError(.endOfList, "the list has no page \(page)"))
        }
        let start = (page - 1) * movies
        let stretch = all[start..<min(start + movies, all.count)]
        return .success(
            FetchedPage(
                page: page, pages: pages, movies: Array(stretch), droppedRows: droppedRows))
    }
}
