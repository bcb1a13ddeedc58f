// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherClient
package import UsherWire

extension Report {
    static let userColumns: [Table.Column] = [
        .init("STATE", isState: true), .init("ID", .right), .init("NAME", isFlexible: true),
        .init("LOGIN", isFlexible: true), .init("PHONE"),
    ]

    /// A user's state; one row, whatever the state.
    package static func user(_ state: UserState) -> Report {
        var table = Table(userColumns)
        table.append([state.word] + state.details)
        var report = Report(table: table, json: JSONWriter.text { $0.userState(state) })
        switch state {
        case .initial:
            report.notes = ["nobody was fetched yet; do so with: usherctl user fetch"]
        case .error(let message):
            report.notes = ["the user could not be fetched: \(message)"]
            report.hints = ["fetch again with: usherctl user fetch"]
            report.exitCode = .stateIsError
        case .loading, .loaded: break
        }
        return report
    }

    static func readUser(from client: UsherClient) async throws(ClientError) -> Report {
        user(try await client.readUser())
    }

    static func fetchUser(from client: UsherClient) async throws(ClientError) -> Report {
        user(.loaded(try await client.fetchUser()))
    }

    static func renameUser(
        to name: String, at client: UsherClient
    ) async throws(ClientError) -> Report {
        user(.loaded(try await client.renameUser(to: name)))
    }
}

extension UserState {
    /// The state's word on the wire.
    var word: String {
        switch self {
        case .initial: "initial"
        case .loading: "loading"
        case .loaded: "loaded"
        case .error: "error"
        }
    }

    /// Number, name, login name, telephone; empty where there is none.
    var details: [String] {
        guard let user else { return ["", "", "", ""] }
        return [String(user.id), user.name, user.username, user.phone ?? ""]
    }
}
