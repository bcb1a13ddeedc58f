// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherClient

/// Shows the own user until Ctrl-C; renames it if it is started with a name.
@main
struct UserCardLoop {
    static func main() async {
        let client = UsherClient()
        Task { await request(client, name: CommandLine.arguments.dropFirst().first) }
        for await state in client.user {
            switch state {
            case .initial: print("nothing fetched yet")
            case .loading: print("loading ...")
            case .loaded(let user):
                print("\(user.name) (\(user.username)), telephone: \(user.phone ?? "none")")
            case .error(let message): print("failed: \(message)")
            }
        }
    }

    /// What the buttons of a screen would do: the loop shows what comes of it.
    static func request(_ client: UsherClient, name: String?) async {
        do {
            try await client.fetchUser()
            if let name { try await client.renameUser(to: name) }
        } catch {
            print(error.message)
        }
    }
}
