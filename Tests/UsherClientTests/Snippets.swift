// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// What the articles quote besides whole programs: compiled here, and never run.

import UsherClient

@MainActor
private final class Screen {
    var isConnected = false
}

private func landing() async {
    let client = UsherClient()
    for await state in client.user {
        print(state)
    }
}

@MainActor
private func following(_ client: UsherClient, screen: Screen) {
    let loop = Task {
        for await list in client.movies {
            print("\(list.movies.count) movies")
        }
    }
    let subscription = client.movies.observe { list in
        print("\(list.movies.count) movies")
    }
    let count = client.movies.value.movies.count
    var subscriptions: [Subscription] = []
    client.connection.onMain(weak: screen) { screen, state in
        screen.isConnected = state.isConnected
    }.store(in: &subscriptions)
    _ = (loop, subscription, count)
}

private func asking(_ client: UsherClient) async {
    do {
        try await client.fetchUser()
        try await client.renameUser(to: "Ada")
        try await client.fetchMoreMovies()
    } catch {
        print(error.message, error.isRetryable ? "(try again later)" : "")
    }
}

private func previewing() {
    let preview = StateStream(UserState.loaded(User(id: 1, name: "Ada", username: "ada")))
    _ = preview
}
