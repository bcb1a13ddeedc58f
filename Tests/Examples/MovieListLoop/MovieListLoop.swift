// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherClient

/// Prints the first movies of the popular list, 50 unless it is started with another number.
@main
struct MovieListLoop {
    static func main() async {
        let wanted = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 50
        let client = UsherClient()
        var movies: [Movie] = []
        for await page in client.pages() {
            // The first page is what the list holds already; later ones are what was appended.
            if page.startsOver { movies = [] }
            movies += page.movies
            for (place, movie) in zip((page.offset + 1)..., page.movies) {
                print("\(place). \(movie.title)")
            }
            guard movies.count < wanted, !page.status.complete else { break }
            // The end of what is there came into sight: the next page comes through the loop.
            do {
                try await client.fetchMoreMovies()
            } catch {
                print(error.message)
                break
            }
        }
        print("\(movies.count) movies")
    }
}
