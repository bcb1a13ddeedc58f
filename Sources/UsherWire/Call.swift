// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A request that passed validation: what is to be done, with every default filled in.
package enum Call: Sendable, Hashable {
    case hello(Hello)
    case help
    case discover(method: Method?)
    case ping
    case stats
    case clients(offset: Int)
    case userGet(user: Int64?)
    case userFetch(user: Int64?, wait: Bool)
    case userRename(user: Int64?, name: String, key: String? = nil)
    case moviesGet(MovieListName, offset: Int, limit: Int)
    case moviesFetch(MovieListName, page: Int?, wait: Bool, key: String? = nil)
    case moviesRefresh(MovieListName, key: String? = nil)
    case subscribe(Subscribe)
    case unsubscribe(name: String)
    case sync
    case engineReload
    case engineStop

    /// Who a client says it is.
    package struct Hello: Sendable, Hashable {
        package var clientName: String?
        package var clientVersion: String?
        package var protocolVersion: Int?

        package init(
            clientName: String? = nil, clientVersion: String? = nil, protocolVersion: Int? = nil
        ) {
            self.clientName = clientName
            self.clientVersion = clientVersion
            self.protocolVersion = protocolVersion
        }
    }

    package struct Subscribe: Sendable, Hashable {
        /// The topic as the peer wrote it.
        package var topic: String
        /// What pushes are marked with; the topic as written when the peer names nothing else.
        package var name: String
        package var since: Cursor?
        package var mode: SubscriptionMode

        package init(
            topic: String, name: String, since: Cursor? = nil, mode: SubscriptionMode = .latest
        ) {
            self.topic = topic
            self.name = name
            self.since = since
            self.mode = mode
        }
    }
}

/// What a subscriber that cannot keep up gets to see of a state's changes.
package enum SubscriptionMode: String, Sendable, CaseIterable {
    /// The newest state, and how many were skipped.
    case latest
    /// Each transition, as far back as the topic remembers.
    case all
}
