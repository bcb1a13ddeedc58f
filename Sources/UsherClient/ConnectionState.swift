// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How a client stands with the daemon.
public enum ConnectionState: Sendable, Hashable {
    /// A connection is being made.
    case connecting
    /// The daemon has greeted; requests and changes flow.
    case connected(Daemon)
    /// There is no connection; the client tries again by itself after a while.
    case disconnected(ClientError)
    /// The client was closed; nothing follows.
    case closed

    /// Whether requests and changes flow.
    public var isConnected: Bool {
        guard case .connected = self else { return false }
        return true
    }
}

/// What the daemon says of itself when it greets.
public struct Daemon: Sendable, Hashable {
    /// The daemon's version.
    public let version: String
    /// What this client may do: `read`, `control` or `admin`.
    public let role: String
    /// The number of the client's own user, as ``UsherClient/user`` shows it; nil if it was not
    /// told.
    public let user: Int64?
    /// Whether the daemon cannot store anything at present.
    ///
    /// Requests that change something fail with the reason `degraded` until it can. What is there
    /// is served, and streams stay as they are; the daemon tries to write again by itself.
    public var isDegraded: Bool

    /// Makes a description from its parts, for tests and previews.
    public init(version: String, role: String, user: Int64?, isDegraded: Bool = false) {
        self.version = version
        self.role = role
        self.user = user
        self.isDegraded = isDegraded
    }
}
