// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// A hundred well-known films that come with the program, for trying it without a key or a network.
///
/// Only facts: titles, languages, the day of an early showing, genres in TMDB's numbering. The ids
/// are the rows' numbers, not TMDB's. Every fetch completes before it returns.
package final class SampleMovies: MovieService {
    package let lists: [MovieListName] = [.popular]
    package let counters = UpstreamCounters()

    private let movies = SampleMovies.table.map(EncodedMovie.init)
    private var isClosed = false

    package init() {}

    package func fetch(
        _ list: MovieListName, page: Int,
        completion: (Result<FetchedPage, UpstreamError>) -> Void
    ) {
        guard !isClosed else { return }
        guard lists.contains(list) else {
            completion(.failure(unknownList(list)))
            return
        }
        completion(PageOfTwenty.page(page, of: movies))
    }

    package func close() {
        isClosed = true
    }
}
