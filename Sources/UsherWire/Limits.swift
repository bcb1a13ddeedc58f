// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Every limit of the protocol and the daemon, with its default.
///
/// Peers are told the values in the reply to `hello`.
package struct Limits: Sendable, Hashable {
    /// Bytes of a line with its LF, in either direction.
    ///
    /// Fixed, because stock line readers stop there.
    package static let lineBytes = 65_536
    /// Nesting of a line's JSON (fixed).
    package static let jsonDepth = 32
    /// Bytes of a string id, quotes included not (fixed).
    package static let idBytes = 128
    /// Requests in one batch (fixed).
    package static let batchRequests = 100
    /// Bytes of a subscription's name (fixed).
    package static let subscriptionNameBytes = 128
    /// Characters of a user's name in a rename (fixed).
    package static let nameCharacters = 80
    /// Movies that one `movies.get` may ask for (fixed).
    package static let moviesPerRequest = 500
    /// Movies that `movies.get` gives when it is not told (fixed).
    package static let moviesPerRequestDefault = 20
    /// The last page that a movie service serves, whatever number of pages it announces (fixed by TMDB).
    package static let lastPage = 500
    /// Transitions that a topic remembers for mode `all` and for a resume (fixed).
    package static let historyTransitions = 256
    /// Lines of one connection that are handled in one turn of the loop, so that the others get theirs; fewer when many
    /// have more to do (fixed).
    package static let linesPerTurn = 64
    /// Bytes of a request's key (fixed).
    package static let keyBytes = 64
    /// Requests with a key that are remembered at least; when there are more, the uid with most loses its oldest (fixed).
    package static let rememberedRequests = 16_384
    /// Milliseconds of the daemon's own running time for which they are remembered at most: a day (fixed).
    package static let rememberedMilliseconds = 86_400_000

    /// Connections at a time; one more place is kept for root and the daemon's own uid.
    package var clients = 4_096
    /// Connections of one uid at a time; root and the daemon's own uid are exempt.
    package var clientsPerUID = 1_024
    /// Subscriptions of one connection.
    package var subscriptions = 64
    /// Deferred requests of one connection in flight; one more is answered `busy`.
    package var deferredRequests = 32
    /// Bytes that a connection may leave unread before its requests are no longer read.
    package var unsentBytes = 262_144
    /// Milliseconds without taking a byte after which a connection that is owed data is closed.
    package var stallMilliseconds = 300_000
    /// The same when places have run out.
    package var stallWhenFullMilliseconds = 10_000
    /// Milliseconds in which a line that was begun must end.
    package var partialLineMilliseconds = 30_000
    /// Milliseconds for answers in flight when the daemon stops.
    package var shutdownGraceMilliseconds = 2_000

    package init() {}
}
