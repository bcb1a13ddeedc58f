// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// The Movie Database's lists, by its API version 3.
package final class TMDBMovies: MovieService {
    /// Where the service is when no other address is configured.
    package static let defaultBaseURL = "https://api.themoviedb.org"

    package let lists: [MovieListName] = [.popular, .nowPlaying, .topRated, .upcoming]

    private let fetcher: HTTPFetcher
    private let base: BaseURL
    private let key: TMDBKey

    /// Takes over the fetcher, and closes it.
    package init(fetcher: HTTPFetcher, base: BaseURL, key: TMDBKey) {
        self.fetcher = fetcher
        self.base = base
        self.key = key
    }

    package var counters: UpstreamCounters { fetcher.counters }

    package func fetch(
        _ list: MovieListName, page: Int,
        completion: @escaping (Result<FetchedPage, UpstreamError>) -> Void
    ) {
        guard lists.contains(list) else {
            completion(.failure(unknownList(list)))
            return
        }
        // TMDB refuses others, whatever number of pages it announces.
        guard (1...Limits.lastPage).contains(page) else {
            completion(
                .failure(UpstreamError(.endOfList, "pages are 1 to \(Limits.lastPage)")))
            return
        }
        let request = HTTPRequest(
            base, path: "/3/movie/\(list.rawValue)", query: "page=\(page)",
            credential: key.credential)
        let reply = TMDBReply(page: page, place: base.place, keyDescription: key.description)
        fetcher.fetch(request, read: reply.read) { [unowned self] result in
            if case .success(let fetched) = result {
                fetcher.count(
                    droppedRows: fetched.droppedRows, repairedFields: fetched.repairedFields)
                // The list may have grown: what it did not have is asked for again.
                if page == 1 { fetcher.forgetFailures(path: request.path) }
            }
            completion(result)
        }
    }

    package func close() {
        fetcher.close()
    }
}
