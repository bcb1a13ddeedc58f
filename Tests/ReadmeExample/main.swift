// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherClient

let usher = UsherClient(socket: CommandLine.arguments.dropFirst().first)

// Each state in turn. A loop, as below, is given the newest one and may miss some in between.
let userSubscription = usher.user.observe { state in
    switch state {
    case .initial: print("user: not fetched yet")
    case .loading: print("user: loading")
    case .loaded(let user): print("user: \(user.name)")
    case .error(let message): print("user: \(message)")
    }
}
let connectionSubscription = usher.connection.observe { state in
    if case .disconnected(let error) = state { print("daemon: \(error)") }
}

// Requests wait until the daemon is there. What goes wrong is seen in the streams too.
_ = try? await usher.fetchUser()
_ = try? await usher.fetchMoreMovies()

// Goes on over restarts of the daemon, from where it was; it ends when the client is closed.
for await page in usher.pages() {
    print("movies: \(page.movies.count) from \(page.offset) on\(page.startsOver ? ", anew" : "")")
    for movie in page.movies {
        print("  \(movie.title) (\(movie.releaseDate?.prefix(4) ?? "?"))")
    }
}
