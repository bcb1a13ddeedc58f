// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherUpstream
package import UsherWire

/// Everything that a daemon can be told before it starts.
package struct Configuration: Sendable, Hashable {
    /// Where users come from.
    package enum Users: Sendable, Hashable {
        /// The system's accounts; every peer's own user is its uid.
        case nss
        /// JSON objects at `URL/{id}`.
        case http(String)
        /// Made-up users from a slow and unreliable back end.
        case demo
    }

    /// Where movies come from.
    package enum Movies: Sendable, Hashable {
        /// The films that are part of the program.
        case sample
        case file(String)
        /// TMDB v3, at another address than its own if one is given.
        case tmdb(String?)
    }

    /// Where changes are kept.
    package enum Store: Sendable, Hashable {
        case memory
        case sqlite(String)
    }

    package var socketPath: String
    /// Who may connect; what a peer may do is decided by its uid.
    package var socketMode: UInt32 = 0o666
    package var socketGroup: String?
    package var users = Users.nss
    /// The user that all peers mean when they name none; not used with NSS.
    package var ownUser: Int64?
    package var demoDelaySeconds = 2.0
    package var demoFailureRate = 0.5
    package var demoSeed: UInt64?
    package var movies = Movies.sample
    package var tmdbKeyFile: String?
    package var certificateFile: String?
    package var proxy = ProxyChoice.environment
    package var ipVersion = HTTPIdentity.IPVersion.any
    /// The limits of requests to the two services.
    package var upstreamLimits = UpstreamLimits()
    package var store: Store
    package var controlGroup: String?
    package var adminGroup: String?
    package var limits = Limits()
    /// How long the loop looks for the next request before it sleeps, while that pays; 0 never.
    ///
    /// It is twice what a sleep takes on a virtual machine.
    package var busyPollMicroseconds: UInt64 = 200
    /// More would keep a processor busy for nobody.
    static let mostBusyPollMicroseconds: UInt64 = 1_000

    /// The defaults for a user and environment.
    package init(environment: [String: String], uid: UInt32) {
        socketPath = Self.defaultSocketPath(environment, uid: uid)
        store = .sqlite(Self.defaultStatePath(environment))
    }

    private static func defaultSocketPath(_ environment: [String: String], uid: UInt32) -> String {
        if uid == 0 { return "/run/usher/usher.sock" }
        if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") {
            return folder + "/usher/usher.sock"
        }
        return "/tmp/usher-\(uid)/usher.sock"
    }

    private static func defaultStatePath(_ environment: [String: String]) -> String {
        // systemd may name several folders; the first one is ours.
        if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            return folder + "/usher.db"
        }
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            return folder + "/usher/usher.db"
        }
        return (environment["HOME"] ?? "/var/lib") + "/.local/state/usher/usher.db"
    }
}
