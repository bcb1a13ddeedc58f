// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherUpstream
import UsherWire

// The methods: what each does with the core, and what it answers.
extension Daemon {
    /// How many bytes of movies an answer or a push may hold, so that with all the rest it fits a line.
    static let moviesBudget = Limits.lineBytes - answerBytes
    /// What an answer or a push may hold besides movies: names and messages, escaped.
    private static let answerBytes = 8_192

    /// Starts a request; its answer comes now or later.
    func start(_ request: Request, of session: Session) {
        statistics.requests += 1
        do throws(WireError) {
            let valid = try request.outcome.get()
            try checkPermission(valid, of: session)
            if session.isInFlight(request.id) {
                throw WireError(
                    .duplicateID, "a request with this id is in flight; use another id", path: "/id"
                )
            }
            request.place?.batch.ids.append(request.id)
            try call(valid.call, request, session)
        } catch {
            if error.reason == .permissionDenied { logRefusal(request, of: session) }
            fail(request, of: session, error)
        }
    }

    /// Answers with an error, behind the answers to changes of this connection that are on their way to the store.
    private func fail(_ request: Request, of session: Session, _ error: WireError) {
        guard session.awaitsStore else {
            answer(session, request.id, request.place, error)
            return
        }
        perform(.reply(postpone(request, of: session), .failure(error)))
    }

    /// Records what a peer had no right to, once a connection, so that nobody fills the log.
    private func logRefusal(_ request: Request, of session: Session) {
        guard !session.hasLoggedRefusal, case .success(let valid) = request.outcome else { return }
        session.hasLoggedRefusal = true
        log.notice(
            "uid \(session.credentials.uid), pid \(session.credentials.pid) was refused "
                + "\(valid.entry.method.rawValue), having the role \(session.peer.role.rawValue)")
    }

    private func checkPermission(
        _ valid: Request.ValidCall, of session: Session
    ) throws(WireError) {
        if stopping != nil { throw WireError(.shuttingDown, "the daemon is stopping") }
        let needed = session.peer.roleNeeded(for: valid.call, of: valid.entry)
        guard session.peer.role < needed else { return }
        throw WireError(
            .permissionDenied,
            "this needs the role \(needed.rawValue); uid \(session.credentials.uid) has "
                + session.peer.role.rawValue)
    }

    private func call(_ call: Call, _ request: Request, _ session: Session) throws(WireError) {
        switch call {
        case .hello(let hello):
            session.client = hello
            answer(session, request) { writer in writeHello(session, to: &writer) }
        case .help: answer(session, request) { $0.help() }
        case .discover(let method): answer(session, request) { $0.discovery(of: method) }
        case .ping:
            answer(session, request) { writer in
                writer.raw("{\"uptime_ms\":")
                writer.integer(loop.now - startedAt)
                writer.raw("}")
            }
        case .stats: answer(session, request) { $0.statistics(StatisticsMember.all, of: self) }
        case .clients(let offset):
            answer(session, request) { writer in writeClients(from: offset, to: &writer) }
        case .userGet(let user):
            let id = user ?? session.peer.ownUser
            answer(session, request) { writer in writer.raw(userResults.result(id, core)) }
        case .userFetch(let user, let waits):
            let token = try begin(request, session, waits: waits)
            handle(.fetchUser(user ?? session.peer.ownUser, token, waits: waits))
        case .userRename(let user, let name, let key):
            let name = try UserName(name, isPasswd: configuration.users == .nss)
            let token = postpone(request, of: session)
            handle(
                .renameUser(
                    user ?? session.peer.ownUser, to: name.text, token, key: use(key, session)))
        case .moviesGet(let name, let offset, let limit):
            let list = try list(name)
            answer(session, request) { writer in
                writer.moviesResult(
                    list, offset: offset, asked: limit, budget: moviesBudget(request.place), core)
            }
        case .moviesFetch(let name, let page, let waits, let key):
            _ = try list(name)
            let token = try begin(request, session, waits: waits)
            handle(
                .fetchMovies(name, page: page, token, waits: waits, key: use(key, session)))
        case .moviesRefresh(let name, let key):
            _ = try list(name)
            let token = try begin(request, session, waits: false)
            handle(.refreshMovies(name, token, key: use(key, session)))
        case .subscribe(let wish): try subscribe(wish, request, session)
        case .unsubscribe(let name): try unsubscribe(name, request, session)
        case .sync: session.barrier(request)
        case .engineReload:
            answerEmpty(session, request.id, request.place)
            reload()
        case .engineStop:
            answerEmpty(session, request.id, request.place)
            stop(reason: "requested by uid \(session.credentials.uid)")
        }
    }

    private func use(_ key: String?, _ session: Session) -> KeyUse? {
        key.map {
            KeyUse(
                RequestKey(uid: session.credentials.uid, text: $0), uptime: loop.now - startedAt)
        }
    }

    private func list(_ name: MovieListName) throws(WireError) -> MovieListMachine {
        if let list = core.list(name) { return list }
        let known = core.listNames.map(\.rawValue).joined(separator: ", ")
        throw WireError(
            .notFound, "there is no list \(name); there are: \(known)", path: "/params/list")
    }

    /// Names a request that a service is asked for.
    ///
    /// That it was begun is told at once, unless the store has to be waited for first: for a change of the same user that
    /// is on its way, or for the request's key. Then what follows on the connection waits too.
    private func begin(
        _ request: Request, _ session: Session, waits: Bool
    ) throws(WireError) -> RequestToken {
        waits
            ? try awaitService(request, session)
            : postpone(request, of: session)
    }

    private func awaitService(
        _ request: Request, _ session: Session
    ) throws(WireError) -> RequestToken {
        guard session.deferredCount < limits.deferredRequests else {
            throw WireError(
                .busy,
                "\(limits.deferredRequests) requests of this connection are in flight; "
                    + "send more after some answers")
        }
        return postpone(request, of: session, waitsForService: true)
    }

    private func moviesBudget(_ place: Batch.Place?) -> Int {
        (place?.batch.budget ?? Limits.lineBytes) - Self.answerBytes
    }

    // MARK: Subscriptions

    private func subscribe(
        _ wish: Call.Subscribe, _ request: Request, _ session: Session
    ) throws(WireError) {
        let topic = try topic(wish.topic, of: session)
        guard !session.subscriptions.contains(where: { $0.name == wish.name }) else {
            throw WireError(
                .alreadySubscribed, "\(wish.name) is a subscription already; give another as",
                path: "/params/as")
        }
        guard session.subscriptions.count < limits.subscriptions else {
            throw WireError(
                .tooManySubscriptions,
                "a connection has at most \(limits.subscriptions) subscriptions; end one first")
        }
        var effects: [Effect] = []
        let start = core.subscribe(
            session.id, to: topic, name: wish.name, mode: wish.mode, since: wish.since,
            budget: moviesBudget(request.place), &effects)
        let isAnswered = answer(session, request) { $0.subscriptionResult(start, core) }
        if isAnswered {
            if session.subscriptions.isEmpty { session.knowsDegraded = core.isDegraded }
            session.subscriptions.append(start.subscription)
            statistics.subscriptions += 1
            outlets.add(start.subscription, of: session)
            if start.reason == nil { statistics.resumes += 1 }
        } else {
            core.unsubscribe(start.subscription)
        }
        for effect in effects { perform(effect) }
        if isAnswered { session.push(start.subscription) }
    }

    private func unsubscribe(
        _ name: String, _ request: Request, _ session: Session
    ) throws(WireError) {
        guard let index = session.subscriptions.firstIndex(where: { $0.name == name }) else {
            throw WireError(.notSubscribed, "there is no subscription \(name)", path: "/params/as")
        }
        end(session.subscriptions.remove(at: index))
        statistics.subscriptions -= 1
        answerEmpty(session, request.id, request.place)
    }

    private func topic(_ text: String, of session: Session) throws(WireError) -> Topic {
        let topic = Topic(text, ownUser: session.peer.ownUser)
        switch topic {
        case .movies(let name)? where core.list(name) == nil: break
        case .user(let id)? where id >= Int64(UInt32.max): break
        case let topic?: return topic
        case nil: break
        }
        let lists = core.listNames.map { "movies/\($0)" }
        throw WireError(
            .unknownTopic,
            "there is no topic \(text); there are: "
                + (["user", "user/ID", "movies"] + lists + ["engine"]).joined(separator: ", "),
            path: "/params/topic")
    }

    /// Ends a subscription that its connection lists no longer.
    func end(_ subscription: Subscription) {
        core.unsubscribe(subscription)
        outlets.remove(subscription)
    }

    func isBehind(_ subscription: Subscription) -> Bool {
        core.isBehind(subscription)
    }

    func nextPush(for subscription: Subscription) -> Push? {
        core.nextPush(for: subscription, budget: Self.moviesBudget)
    }

    // MARK: Answers

    /// Answers a request with a result that `body` writes; with an error, and false, if it is too large.
    @discardableResult private func answer(
        _ session: Session, _ request: Request, _ body: (inout JSONWriter) -> Void
    ) -> Bool {
        answer(session, request.id, request.place, body)
    }

    @discardableResult private func answer(
        _ session: Session, _ id: RequestID, _ place: Batch.Place?,
        _ body: (inout JSONWriter) -> Void
    ) -> Bool {
        scratch.reset()
        scratch.beginAnswer(id)
        scratch.raw(JSONWriter.resultHead)
        body(&scratch)
        scratch.bytes.append(UInt8(ascii: "}"))
        if scratch.bytes.count >= (place?.batch.budget ?? Limits.lineBytes) {
            let error = WireError(
                .resultTooLarge, "the result does not fit a line; ask for less, or not in a batch")
            answer(session, id, place, error)
            return false
        }
        session.send(scratch.bytes, id, place)
        return true
    }

    /// Answers a request with an error.
    func answer(_ session: Session, _ id: RequestID, _ place: Batch.Place?, _ error: WireError) {
        statistics.count(error.reason)
        scratch.reset()
        scratch.beginAnswer(id)
        scratch.raw(",\"error\":")
        scratch.wireError(error)
        scratch.raw("}")
        if scratch.bytes.count >= (place?.batch.budget ?? Limits.lineBytes) {
            scratch.reset()
            scratch.beginAnswer(id)
            scratch.raw(",\"error\":")
            scratch.wireError(WireError(error.reason, error.reason.summary))
            scratch.raw("}")
        }
        session.send(scratch.bytes, id, place)
    }

    func answerEmpty(_ session: Session, _ id: RequestID, _ place: Batch.Place?) {
        answer(session, id, place) { $0.raw("{}") }
    }

    /// Answers a request that waited.
    func answer(
        _ session: Session, _ id: RequestID, _ place: Batch.Place?,
        _ result: Result<Reply, WireError>
    ) {
        let budget = moviesBudget(place)
        switch result {
        case .failure(let error): answer(session, id, place, error)
        case .success(.user(let user)):
            answer(session, id, place) { $0.raw(userResults.result(user, core)) }
        case .success(.movies(let name, let offset, let count)):
            guard let list = core.list(name) else { return }
            answer(session, id, place) { writer in
                writer.moviesResult(list, offset: offset, asked: count, budget: budget, core)
            }
        case .success(.moviesStatus(let name)):
            guard let list = core.list(name) else { return }
            answer(session, id, place) { $0.moviesStatusResult(list, core) }
        case .success(.remembered(let remembered)):
            answer(session, id, place) { $0.remembered(remembered, budget: budget, core) }
        }
    }

    private func writeHello(_ session: Session, to writer: inout JSONWriter) {
        writer.raw("{\"server\":{\"name\":\"usherd\",\"version\":")
        writer.string(productVersion)
        writer.raw("},\"protocol\":1,\"epoch\":")
        writer.string(core.epoch.description)
        writer.raw(",\"role\":")
        writer.string(session.peer.role.rawValue)
        writer.raw(",\"user\":")
        writer.integer(session.peer.ownUser)
        writer.raw(",\"limits\":{")
        for limit in Limits.settable {
            writer.string(limit.name)
            writer.raw(":")
            writer.integer(limits[keyPath: limit.path])
            writer.raw(",")
        }
        for (index, limit) in Limits.fixed.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.string(limit.name)
            writer.raw(":")
            writer.integer(limit.value)
        }
        writer.raw("},\"features\":[\"batch\",\"cursor\",\"key\",\"shorthand\"]")
        writer.degraded(core)
        if let eviction = evictions.take(of: session.client.clientName, session.credentials.uid) {
            writer.eviction(eviction)
        }
        writer.raw("}")
    }
}

extension Limits {
    /// The limits that cannot be set, by the names that `hello` uses.
    static let fixed = [
        ("line_bytes", lineBytes), ("json_depth", jsonDepth), ("id_bytes", idBytes),
        ("batch_requests", batchRequests), ("subscription_name_bytes", subscriptionNameBytes),
        ("name_characters", nameCharacters), ("movies_per_request", moviesPerRequest),
        ("last_page", lastPage), ("history_transitions", historyTransitions),
        ("lines_per_turn", linesPerTurn), ("key_bytes", keyBytes),
        ("remembered_requests", rememberedRequests), ("remembered_ms", rememberedMilliseconds),
    ].map { (name: $0.0, value: $0.1) }
}
