// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherClient

/// The README's first lines of client code, compiled here so that they stay true.
func tenLines() async throws {
    let usher = UsherClient()
    let names = Task {
        for await state in usher.user {  // the value now, then always the newest
            if let user = state.user { print(user.name) }
        }
    }
    try await usher.fetchUser()
    try await usher.renameUser(to: "Ada Lovelace")
    let page = try await usher.fetchMoreMovies()
    print(page.movies.map(\.title), usher.movies.value.status.total)
    names.cancel()
}
