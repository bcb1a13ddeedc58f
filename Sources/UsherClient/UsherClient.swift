// Part of Usher. SPDX-License-Identifier: Apache-2.0

@_exported public import UsherStreams
@_exported public import UsherWire

/// A program's connection to the daemon: its streams show what is, its methods ask for changes.
///
/// One socket serves all streams and requests. It is made at once, made again whenever it is lost
/// (see ``Options``), and every stream then goes on where it was. A topic is subscribed to
/// while at least one observer or loop is there, and from the first look at its `value` on. A
/// stream shows what a request has changed a moment after the request has returned.
/// Observers are called on the client's own thread and must not block it; loops may take their
/// time.
///
/// Letting the last reference go closes the client.
public final class UsherClient: Sendable {
    /// The own user: the one that the daemon takes this process for.
    public let user: StateStream<UserState>
    /// The list of popular movies.
    public let movies: StateStream<MovieList>
    /// How the client stands with the daemon.
    public var connection: StateStream<ConnectionState> { link.connection }
    /// The steps of the daemon's life, each just before and just after it happens.
    ///
    /// The end of the connection after the `.will` event of a stop counts as its `.did` event.
    public var engine: EventStream<EngineEvent> { link.engine }

    let link: Link

    /// Connects in the background; nothing is waited for.
    ///
    /// - Parameters:
    ///   - socket: The path of the daemon's socket. When nil: `$USHER_SOCKET`, or else the first
    ///     that exists of `$XDG_RUNTIME_DIR/usher/usher.sock`, `/run/usher/usher.sock` and
    ///     `/tmp/usher-UID/usher.sock`, the last only in a folder of one's own.
    ///   - name: What the daemon's administrator sees this client as; the program's name when nil.
    ///   - options: Time-outs and pauses.
    public init(socket: String? = nil, name: String? = nil, options: Options = Options()) {
        link = Link(search: SocketSearch(explicit: socket), name: name, options: options)
        user = link.userStream(.ownUser)
        movies = link.listStreams(.popular).movies
        link.start()
    }

    deinit {
        link.close()
    }

    /// Is told of the steps of the daemon's life; held weakly.
    public var engineDelegate: (any EngineDelegate)? {
        get { link.engineDelegate }
        set { link.engineDelegate = newValue }
    }

    /// The user of a number; the same stream each time it is asked for.
    ///
    /// The stream, and where it has come to, are kept as long as the client lives.
    public func user(id: Int64) -> StateStream<UserState> {
        link.userStream(.user(id))
    }

    /// A list of movies; the same stream each time it is asked for.
    public func movies(_ list: MovieListName) -> StateStream<MovieList> {
        link.listStreams(list).movies
    }

    /// What is appended to a list, stretch by stretch, as it comes.
    ///
    /// The first observer gets what the list holds already, as one or more stretches of which
    /// the first says `startsOver`; one that joins others sees what comes from then on.
    public func pages(_ list: MovieListName = .popular) -> EventStream<MoviePage> {
        link.listStreams(list).pages
    }

    /// Ends the connection, all streams and all loops; requests in flight fail with
    /// ``ClientError/Code/closed``.
    ///
    /// It returns at once, and more than once is harmless.
    public func close() {
        link.close()
    }
}
