// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

@testable import UsherUpstream

struct SampleMoviesTests {
    @Test func `The films come in pages of twenty, complete, before fetch returns`() throws {
        let service = SampleMovies()
        var movies: [EncodedMovie] = []
        var pages = 0
        var end: UpstreamError?
        while end == nil {
            service.fetch(.popular, page: pages + 1) { result in
                switch result {
                case .success(let page):
                    #expect(page.movies.count == 20 || page.page == page.pages)
                    movies += page.movies
                    pages += 1
                case .failure(let error): end = error
                }
            }
        }
        #expect(end?.kind == .endOfList)
        #expect(movies.map(\.id) == Array(1...Int64(SampleMovies.table.count)))
        #expect(pages == (movies.count + 19) / 20)
        #expect((95...110).contains(movies.count))
    }

    @Test func `Each film has a title, a language, a day and genres that are known`() {
        let genres: Set<Int64> = [
            12, 14, 16, 18, 27, 28, 35, 36, 37, 53, 80, 99, 878, 9_648, 10_402, 10_749, 10_751,
            10_752, 10_770,
        ]
        for movie in SampleMovies.table {
            #expect(!movie.title.isEmpty && movie.title.trimmed == movie.title)
            #expect(movie.originalTitle?.isEmpty == false)
            #expect(movie.originalLanguage?.utf8.count == 2)
            #expect(movie.releaseDate.flatMap(MovieRow.date) == movie.releaseDate)
            #expect(movie.genreIDs?.isEmpty == false)
            #expect(genres.isSuperset(of: movie.genreIDs ?? []))
        }
        #expect(Set(SampleMovies.table.map(\.title)).count == SampleMovies.table.count)
    }

    @Test func `A list that is not there, and a closed service`() {
        let service = SampleMovies()
        var failure: UpstreamError?
        service.fetch("upcoming", page: 1) { failure = $0.failure }
        #expect(failure?.message == "there is no such movie list; there are: popular")
        service.close()
        service.fetch(.popular, page: 1) { _ in Issue.record("completed after close") }
    }
}

extension String {
    fileprivate var trimmed: String { String(self[...].trimmingWhitespace()) }
}
