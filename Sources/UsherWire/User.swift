// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A person or account, as the daemon's user directory knows it.
public struct User: Sendable, Hashable {
    /// The number that names the user in its directory: a uid with NSS, the record's `id` elsewhere.
    public let id: Int64
    /// The display name.
    ///
    /// A rename kept by the daemon replaces what the directory says.
    public var name: String
    /// The login name.
    public let username: String
    /// A telephone number in free text, or nil if the directory has none.
    public let phone: String?

    /// Makes a user from its parts; nothing is validated.
    public init(id: Int64, name: String, username: String, phone: String? = nil) {
        self.id = id
        self.name = name
        self.username = username
        self.phone = phone
    }
}

/// Where a user is in its life: `initial → loading → loaded | error`, and from either of the last two to `loading` again.
public enum UserState: Sendable, Hashable {
    /// Nothing was fetched yet.
    case initial
    /// A fetch is in flight.
    case loading
    /// The last fetch, or a rename after it, gave this user.
    indirect case loaded(User)
    /// The last fetch failed; the text is for people.
    ///
    /// The next success gives the user again, renames included.
    case error(String)

    /// The user, if one is loaded.
    public var user: User? {
        guard case .loaded(let user) = self else { return nil }
        return user
    }
}
