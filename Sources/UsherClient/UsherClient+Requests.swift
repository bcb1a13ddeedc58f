// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension UsherClient {
    /// Fetches a user from the daemon's directory and waits until it is there.
    ///
    /// A fetch in flight is joined. When the connection is lost meanwhile, the fetch is made once
    /// more. Without a number, the own user is meant.
    @discardableResult
    public func fetchUser(id: Int64? = nil) async throws(ClientError) -> User {
        let reply: UserReply = try await request(
            .userFetch, .once, arguments: { $0.add("user", id) })
        return try reply.loadedUser()
    }

    /// Gives a loaded user another name, which survives later fetches.
    ///
    /// A name has 1 to 80 characters, none of them a control or direction character. When the
    /// connection is lost, the request is sent again until it is answered or its time is over, and
    /// the daemon carries it out once: its key is stored with the change, and remembered for a day of
    /// the daemon's running time or the next 16,384 such requests, whichever ends first. After
    /// ``ClientError/Code/timedOut`` or ``ClientError/Code/cancelled`` look at the user's state.
    /// Without a number, the own user is meant.
    @discardableResult
    public func renameUser(
        to name: String, id: Int64? = nil
    ) async throws(ClientError) -> User {
        let reply: UserReply = try await request(.userRename, .untilAnswered) {
            $0.add("user", id)
            $0.add("name", name)
        }
        return try reply.loadedUser()
    }

    /// Tells a user's state without fetching anything.
    public func readUser(id: Int64? = nil) async throws(ClientError) -> UserState {
        let reply: UserReply = try await request(
            .userGet, .once, arguments: { $0.add("user", id) })
        return reply.state.state
    }

    /// Fetches a page of a list and appends it; a page that is there already is not fetched again.
    ///
    /// - Returns: What was appended: nothing if the page was there.
    @discardableResult
    public func fetchMovies(
        page: Int, list: MovieListName = .popular
    ) async throws(ClientError) -> MoviePage {
        try await fetch(list, page: page)
    }

    /// Fetches the next page of a list and appends it.
    ///
    /// The daemon's error `end_of_list` says that there is none. However often the connection is
    /// lost meanwhile, one page is appended, as with ``renameUser(to:id:)``.
    @discardableResult
    public func fetchMoreMovies(
        list: MovieListName = .popular
    ) async throws(ClientError) -> MoviePage {
        try await fetch(list, page: nil)
    }

    /// Starts a list anew from its first page, without waiting for it.
    ///
    /// The movies that are there stay until the new first page has come. The role `control` is
    /// needed. However often the connection is lost meanwhile, the list starts anew once, as with
    /// ``renameUser(to:id:)``.
    @discardableResult
    public func refreshMovies(
        list: MovieListName = .popular
    ) async throws(ClientError) -> MovieListStatus {
        let reply: ListStatusReply = try await request(
            .moviesRefresh, .untilAnswered, arguments: { $0.add("list", list.rawValue) })
        return reply.status.status
    }

    /// Gives a stretch of a list as the daemon has it, without fetching anything.
    ///
    /// The limit is 1 to 500. There may be fewer movies than asked for, when they fill a line of
    /// the protocol: go on at `offset + movies.count` while that is less than `status.total`.
    public func readMovies(
        offset: Int = 0, limit: Int = 20, list: MovieListName = .popular
    ) async throws(ClientError) -> MoviePage {
        let reply: MoviesReply = try await request(.moviesGet, .once) {
            $0.add("list", list.rawValue)
            $0.add("offset", offset)
            $0.add("limit", limit)
        }
        return reply.page
    }

    /// Asks for a sign of life.
    ///
    /// - Returns: How long the daemon has been running.
    @discardableResult
    public func ping() async throws(ClientError) -> Duration {
        let reply: PingReply = try await request(.ping, .once, arguments: { _ in })
        return .milliseconds(reply.uptimeMilliseconds)
    }

    /// The daemon's counters since its start, as the text of a JSON object.
    public func stats() async throws(ClientError) -> String {
        let request = try Request(.stats, .once, arguments: { _ in })
        return String(decoding: try await link.perform(request, timeout: nil), as: UTF8.self)
    }

    /// Makes any request, in JSON and out of it: for tools, and for methods without a name here.
    ///
    /// Nothing is sent twice, unless the caller does: give the methods that take one a `key` of your
    /// own, and the same request with the same key is carried out once.
    ///
    /// - Parameters:
    ///   - method: The method's name, as `movies.get`.
    ///   - params: The text of a JSON object; nil for none.
    ///   - timeout: How long to wait; as ``Options/requestTimeout`` says when nil.
    /// - Returns: The JSON text of the result, on one line.
    /// - Throws: ``ClientError/Code/invalidRequest`` before anything is sent, or any other failure.
    public func call(
        _ method: String, params: String? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> String {
        let request = try Request(method: method, params: params)
        return String(decoding: try await link.perform(request, timeout: timeout), as: UTF8.self)
    }

    private func fetch(_ list: MovieListName, page: Int?) async throws(ClientError) -> MoviePage {
        let reply: MoviesReply = try await request(.moviesFetch, .untilAnswered) {
            $0.add("list", list.rawValue)
            $0.add("page", page)
        }
        var movies = reply.page.movies
        var next = reply.next
        let end = reply.page.status.total
        while let offset = next, offset < end {
            let rest: MoviesReply = try await request(.moviesGet, .once) {
                $0.add("list", list.rawValue)
                $0.add("offset", offset)
                $0.add("limit", min(end - offset, Limits.moviesPerRequest))
            }
            guard !rest.page.movies.isEmpty else { break }
            movies += rest.page.movies
            next = rest.next
        }
        return MoviePage(offset: reply.page.offset, movies: movies, status: reply.page.status)
    }

    private func request<Reply: Decodable>(
        _ method: Method, _ repetition: Request.Repetition,
        arguments: (inout Request.Arguments) -> Void
    ) async throws(ClientError) -> Reply {
        let request = try Request(method, repetition, arguments: arguments)
        return try WireDecoder.reply(try await link.perform(request, timeout: nil))
    }
}
