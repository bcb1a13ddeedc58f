// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// Where movie lists come from, page by page.
///
/// A service lives on one loop's thread.
package protocol MovieService: AnyObject {
    /// The lists that can be asked for.
    var lists: [MovieListName] { get }
    /// Asks for a page, counted from 1.
    ///
    /// Completes once, on the loop, possibly before `fetch` returns; after `close()` never. A page
    /// past the last one is the error `endOfList`.
    func fetch(
        _ list: MovieListName, page: Int,
        completion: @escaping (Result<FetchedPage, UpstreamError>) -> Void)
    /// What was asked of the service so far.
    var counters: UpstreamCounters { get }
    /// Abandons what is in flight; nothing completes after. Allowed at any time, twice too, and
    /// needed before the release.
    func close()
}

extension MovieService {
    /// The error for a list that the service does not serve.
    func unknownList(_ list: MovieListName) -> UpstreamError {
        let known = lists.map(\.rawValue).joined(separator: ", ")
        return UpstreamError(.notFound, "there is no such movie list; there are: \(known)")
    }
}

/// A page as it came, rows that made no sense left out.
package struct FetchedPage: Sendable, Hashable {
    /// The page's number, from 1.
    package let page: Int
    /// How many pages there are to get, never more than `Limits.lastPage`.
    package let pages: Int
    /// In the service's order; an id may stand twice, or on the page before too.
    package let movies: [EncodedMovie]
    /// How many rows were left out.
    package let droppedRows: Int
    /// How many members of the rows were left out or taken though they are odd.
    package let repairedFields: Int

    package init(
        page: Int, pages: Int, movies: [EncodedMovie], droppedRows: Int = 0, repairedFields: Int = 0
    ) {
        self.page = page
        self.pages = max(page, min(pages, Limits.lastPage))
        self.movies = movies
        self.droppedRows = droppedRows
        self.repairedFields = repairedFields
    }
}
