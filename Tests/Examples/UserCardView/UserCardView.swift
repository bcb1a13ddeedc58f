// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherClient

#if canImport(SwiftUI)
import SwiftUI

/// Shows the own user, fetches and renames it.
@main
struct UserCardApp: App {
    private let client = UsherClient()

    var body: some Scene {
        WindowGroup { UserCard(client: client) }
    }
}

/// There is no view model: the view reads `value`, and is drawn anew when it changes.
struct UserCard: View {
    let client: UsherClient
    @State private var name = ""
    @State private var problem: String?

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            switch client.user.value {
            case .initial: Text("Nothing fetched yet")
            case .loading: ProgressView()
            case .loaded(let user):
                Text(user.name)
                Text(user.username)
                Text(user.phone ?? "no telephone")
            case .error(let message): Text(message).foregroundStyle(.red)
            }
            Button("Fetch") { request { try await client.fetchUser() } }
            TextField("New name", text: $name)
            Button("Rename") { request { try await client.renameUser(to: name) } }
            if let problem { Text(problem).foregroundStyle(.red) }
        }
        .padding()
    }

    private func request(_ body: @escaping @MainActor () async throws -> User) {
        Task {
            do {
                _ = try await body()
                problem = nil
            } catch {
                problem = "\(error)"
            }
        }
    }
}
#else
import Observation

/// The same without views: prints what a view would show, until Ctrl-C.
@main
struct UserCardView {
    @MainActor
    static func main() async {
        let client = UsherClient()
        Task {
            do throws(ClientError) {
                try await client.fetchUser()
                if let name = CommandLine.arguments.dropFirst().first {
                    try await client.renameUser(to: name)
                }
            } catch {
                print(error.message)
            }
        }
        for await state in Observations({ client.user.value }) {
            switch state {
            case .initial: print("nothing fetched yet")
            case .loading: print("loading ...")
            case .loaded(let user):
                print("\(user.name) (\(user.username)), telephone: \(user.phone ?? "none")")
            case .error(let message): print("failed: \(message)")
            }
        }
    }
}
#endif
