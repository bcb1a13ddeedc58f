// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// A request that is answered later than it was read; the daemon's own number for it.
package struct RequestToken: Sendable, Hashable {
    package let value: UInt64

    package init(value: UInt64) { self.value = value }
}

/// Something that happened to the domain.
package enum Event: Sendable {
    case fetchUser(Int64, RequestToken, waits: Bool)
    case renameUser(Int64, to: String, RequestToken, key: KeyUse? = nil)
    case fetchMovies(
        MovieListName, page: Int?, RequestToken, waits: Bool, key: KeyUse? = nil)
    case refreshMovies(MovieListName, RequestToken, key: KeyUse? = nil)
    /// The directory answered what ``Effect/fetchUser(_:)`` asked.
    case userFetched(Int64, Result<User, WireError>)
    /// The service answered what ``Effect/fetchPage(_:page:)`` asked.
    case pageFetched(MovieListName, Result<FetchedMovies, WireError>)
    /// The oldest change of a topic that was on its way to the store is durable, or is refused.
    case committed(ChangeOwner, Result<Void, WireError>)
    /// The daemon's own life goes on.
    case engine(EngineEvent)
}

/// Something that has to be done about it, in the order given.
package enum Effect: Sendable {
    case reply(RequestToken, Result<Reply, WireError>)
    /// Give the change to the store; ``Event/committed(_:_:)`` brings the answer, in the order of the changes.
    case commit(ChangeOwner, Change)
    case fetchUser(Int64)
    case fetchPage(MovieListName, page: Int)
    /// The topic moved on; its subscribers are to hear of it after the replies before this.
    case changed(Topic)
}

/// Whose change it is; changes of one owner are made durable in order.
package enum ChangeOwner: Sendable, Hashable {
    case user(Int64)
    case list(MovieListName)
    case revisions
    /// Requests that are remembered without a change.
    case requests
}

/// What a late answer is about; its text is made from the state at the time it is given.
package enum Reply: Sendable, Hashable {
    case user(Int64)
    /// The movies from a position on that an answer is about, and how many they are.
    case movies(MovieListName, offset: Int, count: Int)
    case moviesStatus(MovieListName)
    /// What a request with a key is answered, each time it is sent; made when it was carried out.
    case remembered(RequestAnswer)
}

/// A page of movies as a service gave it.
package struct FetchedMovies: Sendable, Hashable {
    /// How many pages there are to get, as far as the service tells.
    package let pages: Int
    package let movies: [EncodedMovie]

    package init(pages: Int, movies: [EncodedMovie]) {
        self.pages = pages
        self.movies = movies
    }
}

/// Where new revisions come from: a block that the store knows of, so that they only ever grow.
package struct Revisions: Sendable {
    /// How many revisions are asked of the store at a time.
    package static let block: UInt64 = 1 << 32

    /// The last one that was used.
    package private(set) var last: UInt64
    /// Revisions up to this one may be used.
    private var reservedThrough: UInt64
    private let block: UInt64
    private var isReserving = false

    /// `previous` is the last one that an earlier run may have used; a block after it is reserved.
    package init(after previous: UInt64, block: UInt64 = Self.block) {
        last = previous
        reservedThrough = previous + block
        self.block = block
    }

    mutating func next(_ effects: inout [Effect]) -> UInt64 {
        precondition(last < reservedThrough, "a block of revisions outlasts any failure of a store")
        last += 1
        if !isReserving, reservedThrough - last < block / 2 {
            isReserving = true
            effects.append(
                .commit(.revisions, .reserve(through: reservedThrough + block)))
        }
        return last
    }

    mutating func reserved(_ succeeded: Bool) {
        isReserving = false
        if succeeded { reservedThrough += block }
    }
}
