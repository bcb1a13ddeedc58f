// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherClient

#if canImport(SwiftUI)
import SwiftUI

/// Shows the popular movies, and fetches more when the end comes into sight.
@main
struct MovieListApp: App {
    private let client = UsherClient()

    var body: some Scene {
        WindowGroup { MovieTable(client: client) }
    }
}

/// There is no view model: the view reads `value`, and is drawn anew when it changes.
struct MovieTable: View {
    let client: UsherClient
    @State private var problem: String?

    var body: some View {
        let list = client.movies.value
        List {
            ForEach(list.movies) { movie in
                Text(movie.title)
                    .task {
                        if movie.id == list.movies.last?.id { await fetchMore() }
                    }
            }
            if list.status.phase == .loading { ProgressView() }
            if let problem { Text(problem).foregroundStyle(.red) }
        }
        .task {
            if list.movies.isEmpty { await fetchMore() }
        }
        .refreshable { await request { try await client.refreshMovies() } }
    }

    private func fetchMore() async {
        guard !client.movies.value.status.complete else { return }
        await request { try await client.fetchMoreMovies() }
    }

    private func request<Result>(_ body: @MainActor () async throws -> Result) async {
        do {
            _ = try await body()
            problem = nil
        } catch {
            problem = "\(error)"
        }
    }
}
#else
import Observation

/// The same without views: prints what a view would show, until 50 movies are there, or as many as
/// it is started with.
@main
struct MovieListView {
    @MainActor
    static func main() async {
        let wanted = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 50
        let client = UsherClient()
        Task {
            do throws(ClientError) {
                var status = client.movies.value.status
                while status.total < wanted, !status.complete {
                    status = try await client.fetchMoreMovies().status
                }
            } catch {
                print(error.message)
            }
        }
        for await list in Observations({ client.movies.value }) {
            print("\(list.movies.count) movies, the last is \(list.movies.last?.title ?? "none")")
            if list.movies.count >= wanted || list.status.complete { break }
        }
    }
}
#endif
