// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// One movie list's life: pages are appended in order, one at a time, until the end; a refresh starts a generation.
///
/// The list is its own log: a revision stands for a number of movies (a *mark*), so a subscriber that has a cursor of
/// the generation is owed the movies from there on and nothing else.
package struct MovieListMachine: Sendable {
    package let name: MovieListName
    /// In the list's order, no id twice.
    package private(set) var movies: [EncodedMovie] = []
    package private(set) var status = MovieListStatus.empty
    /// The last change's revision; 0 if there was none.
    package private(set) var revision: UInt64 = 0
    /// The list before its last change: the revision, and how many movies there were.
    private(set) var previous: (revision: UInt64, count: Int) = (0, 0)
    /// The revision at which the movies began anew; 0 before the first refresh.
    package private(set) var generation: UInt64 = 0
    /// Movies that pages brought and that were left out, since the list had them already.
    package private(set) var duplicates = 0
    private var marks: [StoredState.Mark] = []
    private var ids: Set<Int64> = []
    private var fetch: Fetch?
    /// Whether a refresh is to follow the fetch in flight.
    private var wantsRefresh = false
    /// The requests with a key that asked for it.
    private var refreshRiders: [RequestToken] = []

    /// A page on its way: from the service, then to the store.
    private struct Fetch {
        let page: Int
        let isRefresh: Bool
        var waiters: [RequestToken]
        /// The requests with a key that were answered already; what becomes of them is what becomes of the fetch.
        var riders: [RequestToken]
        /// What is shown once it is durable.
        var outcome: Outcome?
    }

    private struct Outcome {
        let movies: [EncodedMovie]
        let progress: MovieListProgress
        /// What the waiters get instead of movies.
        let error: WireError?
    }

    init(name: MovieListName) {
        self.name = name
    }

    init(_ stored: StoredState.StoredList) {
        name = stored.name
        movies = stored.movies
        ids = Set(stored.movies.map(\.id))
        revision = stored.progress.revision
        generation = stored.generation
        marks = stored.marks
        apply(stored.progress)
    }

    /// How many movies a peer is sure to have that got a revision of this generation last.
    ///
    /// What came in an earlier run, up to `previousRun`, without movies of its own may have been shown because the store
    /// refused some; and what a disk refused may be there after a crash all the same. So of such a revision the movies
    /// just before it are not counted: sent again, they do no harm.
    package func count(at revision: UInt64, previousRun: UInt64) -> Int {
        guard let index = marks.lastIndex(where: { $0.revision <= revision }) else { return 0 }
        if revision > previousRun || marks[index].revision == revision { return marks[index].count }
        return index > 0 ? marks[index - 1].count : 0
    }

    /// Whether a peer may have movies of an earlier generation that got a revision last.
    package func hasBegunAnew(since revision: UInt64, previousRun: UInt64) -> Bool {
        if revision <= generation || revision > previousRun { return revision < generation }
        // As above, of the change that began the generation.
        return generation > 0
            && !marks.contains { $0.revision > generation && $0.revision <= revision }
    }

    // MARK: Requests

    mutating func fetch(
        page asked: Int?, _ token: RequestToken, waits: Bool, isKeyed: Bool,
        _ revisions: inout Revisions, _ effects: inout [Effect]
    ) {
        let next = status.page + 1
        if let fetch, asked == nil || asked == fetch.page {
            if isKeyed && !waits { self.fetch?.riders.append(token) }
            join(fetch, token, waits: waits, &effects)
        } else if let asked, asked <= status.page {
            effects.append(.reply(token, .success(nothingNew)))
        } else if status.complete {
            effects.append(.reply(token, .failure(endOfList)))
        } else if let asked, asked != next {
            let message = "pages are appended in order; the next page of \(name) is \(next)"
            effects.append(
                .reply(token, .failure(WireError(.outOfRange, message, path: "/params/page"))))
        } else if let fetch {
            let message = "page \(fetch.page) of \(name) is on its way; ask again when it is there"
            effects.append(.reply(token, .failure(WireError(.busy, message))))
        } else {
            start(
                page: next, isRefresh: false, waiters: waits ? [token] : [],
                riders: isKeyed && !waits ? [token] : [],
                replies: waits ? [] : [(token, nothingNew)], &revisions, &effects)
        }
    }

    mutating func refresh(
        _ token: RequestToken, isKeyed: Bool, _ revisions: inout Revisions,
        _ effects: inout [Effect]
    ) {
        let riders = isKeyed ? [token] : []
        if let fetch {
            wantsRefresh = wantsRefresh || !fetch.isRefresh
            if fetch.isRefresh {
                self.fetch?.riders += riders
            } else {
                refreshRiders += riders
            }
            effects.append(.reply(token, .success(.moviesStatus(name))))
        } else {
            start(
                page: 1, isRefresh: true, waiters: [], riders: riders,
                replies: [(token, .moviesStatus(name))], &revisions, &effects)
        }
    }

    private mutating func join(
        _ joined: Fetch, _ token: RequestToken, waits: Bool, _ effects: inout [Effect]
    ) {
        if waits {
            fetch?.waiters.append(token)
        } else {
            effects.append(.reply(token, .success(nothingNew)))
        }
    }

    private mutating func start(
        page: Int, isRefresh: Bool, waiters: [RequestToken], riders: [RequestToken],
        replies: [(RequestToken, Reply)], _ revisions: inout Revisions,
        _ effects: inout [Effect]
    ) {
        fetch = Fetch(page: page, isRefresh: isRefresh, waiters: waiters, riders: riders)
        status.phase = .loading
        status.message = nil
        advance(to: revisions.next(&effects))
        effects += replies.map { .reply($0.0, .success($0.1)) }
        effects.append(.changed(.movies(name)))
        effects.append(.fetchPage(name, page: page))
    }

    // MARK: Answers

    mutating func fetched(
        _ result: Result<FetchedMovies, WireError>, _ revisions: inout Revisions,
        _ effects: inout [Effect]
    ) {
        guard let fetch else { preconditionFailure("a page of \(name) came that nobody asked for") }
        switch result {
        case .success(let page):
            let isEnd = page.movies.isEmpty || fetch.page >= min(page.pages, Limits.lastPage)
            keep(
                page: fetch.page, pages: min(page.pages, Limits.lastPage), page.movies,
                isComplete: isEnd, error: nil, &revisions, &effects)
        case .failure(let error) where error.reason == .endOfList && !fetch.isRefresh:
            keep(
                page: status.page, pages: status.page, [], isComplete: true, error: endOfList,
                &revisions, &effects)
        case .failure(let error):
            fail(error, &revisions, &effects)
        }
    }

    /// Gives what a page brought to the store.
    private mutating func keep(
        page: Int, pages: Int, _ arrived: [EncodedMovie], isComplete: Bool, error: WireError?,
        _ revisions: inout Revisions, _ effects: inout [Effect]
    ) {
        guard let fetch else { return }
        var seen = fetch.isRefresh ? [] : ids
        let movies = arrived.filter { seen.insert($0.id).inserted }
        duplicates += arrived.count - movies.count
        let progress = MovieListProgress(
            revision: revisions.next(&effects), page: page, pages: pages, isComplete: isComplete)
        self.fetch?.outcome = Outcome(movies: movies, progress: progress, error: error)
        let change: Change =
            fetch.isRefresh
            ? .reset(name, progress, movies: movies) : .append(name, progress, movies: movies)
        effects.append(.commit(.list(name), change))
    }

    /// What a page brought is durable, or the store refused it.
    mutating func committed(
        _ result: Result<Void, WireError>, _ revisions: inout Revisions,
        _ effects: inout [Effect]
    ) {
        guard let fetch, let outcome = fetch.outcome else {
            preconditionFailure("a change of \(name) was committed that was never made")
        }
        guard case .success = result else {
            if case .failure(let error) = result { fail(error, &revisions, &effects) }
            return
        }
        self.fetch = nil
        if fetch.isRefresh {
            movies = []
            ids = []
            marks = []
            generation = outcome.progress.revision
        }
        advance(to: outcome.progress.revision)
        let offset = movies.count
        movies += outcome.movies
        ids.formUnion(outcome.movies.lazy.map(\.id))
        marks.append(.init(revision: revision, count: movies.count))
        apply(outcome.progress)
        let reply: Result<Reply, WireError> =
            if let error = outcome.error {
                .failure(error)
            } else {
                .success(.movies(name, offset: offset, count: outcome.movies.count))
            }
        effects += fetch.waiters.map { .reply($0, reply) }
        effects.append(.changed(.movies(name)))
        startWantedRefresh(&revisions, &effects)
    }

    /// The movies stay as they are; the error is shown with them.
    private mutating func fail(
        _ error: WireError, _ revisions: inout Revisions, _ effects: inout [Effect]
    ) {
        let waiters = fetch?.waiters ?? []
        fetch = nil
        status.phase = .error
        status.message = error.message
        advance(to: revisions.next(&effects))
        effects += waiters.map { .reply($0, .failure(error)) }
        effects.append(.changed(.movies(name)))
        startWantedRefresh(&revisions, &effects)
    }

    private mutating func startWantedRefresh(
        _ revisions: inout Revisions, _ effects: inout [Effect]
    ) {
        guard wantsRefresh else { return }
        wantsRefresh = false
        let riders = refreshRiders
        refreshRiders = []
        start(
            page: 1, isRefresh: true, waiters: [], riders: riders, replies: [], &revisions,
            &effects)
    }

    /// Shows the status as a new change, because someone saw another one of an earlier run that the store did not keep.
    mutating func settle(_ revisions: inout Revisions, _ effects: inout [Effect]) {
        guard fetch == nil else { return }
        advance(to: revisions.next(&effects))
        effects.append(.changed(.movies(name)))
    }

    /// Begins a change; what the list is now becomes what it was before.
    private mutating func advance(to revision: UInt64) {
        previous = (self.revision, movies.count)
        self.revision = revision
    }

    private mutating func apply(_ progress: MovieListProgress) {
        status = progress.status(total: movies.count)
    }

    private var nothingNew: Reply { .movies(name, offset: movies.count, count: 0) }

    private var endOfList: WireError {
        WireError(.endOfList, "\(name) has no page after \(status.page); refresh starts it anew")
    }
}

// MARK: Requests with a key

extension MovieListMachine {
    /// The requests with a key that were answered already and hang on the fetch in flight.
    var riders: [RequestToken] { fetch?.riders ?? [] }

    /// All requests that hang on the fetch in flight.
    var askers: [RequestToken] { fetch.map { $0.waiters + $0.riders } ?? [] }

    /// Whether a request was answered before it is known what becomes of it.
    func isRiding(_ token: RequestToken) -> Bool {
        riders.contains(token) || refreshRiders.contains(token)
    }

    /// Whether the store was given what a fetch brought.
    var isStoring: Bool { fetch?.outcome != nil }

    /// What those who wait will be answered if the store takes what it was given; nil if that is an error, or nothing.
    var answerOnItsWay: RequestAnswer? {
        guard let fetch, let outcome = fetch.outcome, outcome.error == nil else { return nil }
        let offset = fetch.isRefresh ? 0 : movies.count
        return .movies(
            name, outcome.progress.status(total: offset + outcome.movies.count),
            revision: outcome.progress.revision, offset: offset, count: outcome.movies.count)
    }
}

extension MovieListProgress {
    fileprivate func status(total: Int) -> MovieListStatus {
        MovieListStatus(
            phase: .idle, message: nil, page: page, pages: pages, total: total,
            complete: isComplete)
    }
}
