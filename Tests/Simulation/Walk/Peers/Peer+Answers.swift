// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension Peer {
    func takePush(_ push: Value) throws(Violation) {
        let name = push["as"].text ?? ""
        guard let follower = followers.first(where: { $0.name == name && $0.isActive }) else {
            throw Violation("O2, O3, O7: a push of \(name), which is no subscription")
        }
        if let told = push["data"]["user"]["name"].text {
            try Violation.require(
                !pendingNames.contains(told), "O4: \(told) was pushed before it was answered")
        }
        try follower.take(push)
    }

    /// Takes the line that tells how the store fares.
    func takeHealth(_ isDegraded: Bool?) throws(Violation) {
        trace.count(.healthTold)
        try Violation.require(
            followers.contains(where: \.isActive), "O7: the store's health was told unasked")
        try Violation.require(
            isDegraded == !knowsDegraded, "I15: the store's health was told, and had not changed")
        knowsDegraded.toggle()
    }

    /// Reads are marked while the store cannot be written, as those who follow something were told.
    private func checkMark(_ result: Value) throws(Violation) {
        let isMarked = result["degraded"].boolean == true
        if isMarked { trace.count(.markedDegraded) }
        // One whose kernel is full may be answered before it is told; so may a batch.
        guard hasAlwaysRoom, followers.contains(where: \.isActive) else { return }
        try Violation.require(
            isMarked == knowsDegraded, "I15: a read says degraded \(isMarked), unlike what was told"
        )
    }

    /// Finds what a line answers, and checks it.
    func takeAnswer(_ line: Value) throws(Violation) {
        let id = (line.elements.first ?? line)["id"].canonical
        if let first = inOrder.first, first.id == id {
            inOrder.removeFirst()
            return try take(line, for: first)
        }
        guard let index = deferred.firstIndex(where: { $0.id == id }) else {
            let next = inOrder.first.map { "\($0.ask.method) \($0.id)" } ?? "nothing"
            throw Violation("O1, I8: \(line.canonical) came, and \(next) was to be answered")
        }
        return try take(line, for: deferred.remove(at: index))
    }

    private func take(_ line: Value, for pending: Pending) throws(Violation) {
        guard !pending.batch.isEmpty else { return try takeOne(line, for: pending) }
        let answers = line.elements
        try Violation.require(
            answers.map { $0["id"].canonical } == pending.batch.map(\.id),
            "a batch is answered in its order: \(line.canonical)")
        for (answer, pending) in zip(answers, pending.batch) { try takeOne(answer, for: pending) }
    }

    private func takeOne(_ answer: Value, for pending: Pending) throws(Violation) {
        if case .rename(_, let name, _) = pending.ask { pendingNames.remove(name) }
        if case .subscribe(let follower, _) = pending.ask { follower.isPending = false }
        let error = answer["error"]
        guard error == .null else { return try takeError(error, for: pending) }
        try Violation.require(
            !isDenied(pending.ask), "I14: \(name) may not \(pending.ask.method), and did")
        try takeResult(answer["result"], for: pending)
    }

    private func takeError(_ error: Value, for pending: Pending) throws(Violation) {
        let reason = error["data"]["reason"].text ?? ""
        if reason == "shutting_down" { return }
        if isDenied(pending.ask) {
            trace.count(.denied)
            try Violation.require(
                reason == "permission_denied", "I14: \(pending.ask.method) was answered \(reason)")
            try Violation.require(log.hasRefusal(of: pid), "I14: a refusal is in the log")
            return
        }
        // Too much is in flight before anybody looks at a key.
        try Violation.require(
            !pending.wasDone || reason == "busy" || reason == "result_too_large",
            "I7: \(pending.ask.method) \(pending.ask.key ?? "") was done, and is refused as \(reason)"
        )
        if reason == "busy" { trace.count(.busy) }
        if reason == "too_many_subscriptions" { trace.count(.tooManySubscriptions) }
        try Violation.require(
            pending.ask.errors.contains(reason) || reason == "result_too_large",
            "\(pending.ask.method) was answered \(error.canonical)")
    }

    private func takeResult(_ result: Value, for pending: Pending) throws(Violation) {
        if let key = pending.ask.key {
            let isRepeated = try model.noteAnswer(to: key, by: uid, pending.ask, result)
            if isRepeated { return trace.count(.repetitionAnsweredAlike) }
        }
        switch pending.ask {
        case .ping:
            try Violation.require(result["uptime_ms"].integer != nil, "a ping has no uptime")
        case .stats, .clients, .hello, .reload, .stop: break
        case .malformed(let reason):
            throw Violation("a line that is \(reason) was answered \(result.canonical)")
        case .userGet(let user):
            if !pending.isInBatch { try checkMark(result) }
            try takeUser(user, result, pending)
        case .userFetch(let user, false): try takeUser(user, result, pending)
        case .userFetch(let user, true):
            try takeUser(user, result, pending)
            model.acknowledge("user/\(user)", try Position(result["cursor"]))
        case .rename(let user, let name, _):
            try Violation.require(
                result["state"]["user"]["name"].text == name,
                "O4: the answer to a rename to \(name) is \(result.canonical)")
            try takeUser(user, result, pending)
            model.acknowledge("user/\(user)", try Position(result["cursor"]))
        case .moviesGet(let list, _, _), .moviesFetch(let list, _, _, _):
            try takeMovies(list, result, pending)
        case .refresh(let list, _):
            try checkHead("movies/\(list)", try Position(result["cursor"]), pending)
        case .subscribe(let follower, let since):
            if !followers.contains(where: \.isActive) {
                knowsDegraded = result["degraded"].boolean == true
            }
            try follower.begin(result, since: since)
        case .unsubscribe(let follower): follower.end()
        case .sync: try checkBarrier(pending)
        }
    }

    private func takeUser(
        _ user: Int64, _ result: Value, _ pending: Pending
    ) throws(Violation) {
        let position = try Position(result["cursor"])
        try checkHead("user/\(user)", position, pending)
        try model.noteUser(user, position, result["state"])
    }

    private func takeMovies(
        _ list: String, _ result: Value, _ pending: Pending
    ) throws(Violation) {
        let position = try Position(result["cursor"])
        try checkHead("movies/\(list)", position, pending)
        let movies = try result["items"].elements.map(MadeUpMovie.init(item:))
        let total = Int(result["total"].integer ?? 0)
        if movies.count == total, pending.ask.key == nil {
            try model.noteList(list, position, movies, result["status"])
        }
        guard case .moviesFetch(_, _, true, _) = pending.ask else { return }
        try model.acknowledgePage(list, position, of: movies)
    }

    /// What is told was not true before something else that was known when it was asked for.
    private func checkHead(
        _ topic: String, _ position: Position, _ pending: Pending
    ) throws(Violation) {
        // Carried out before, a request is answered as it was then, whoever hears of it first.
        if pending.ask.key != nil { return }
        let head = pending.heads[topic] ?? 0
        try Violation.require(
            position.revision >= head,
            "I6: \(topic) was at \(head), and \(pending.ask.method) says \(position.revision)")
    }

    /// All that was known when the barrier was asked for has been pushed.
    private func checkBarrier(_ pending: Pending) throws(Violation) {
        for follower in followers where follower.isActive {
            guard let position = follower.position, let head = pending.heads[follower.topic] else {
                continue
            }
            try Violation.require(
                position.revision >= head || position.epoch != model.epoch,
                "O6: \(follower.topic) was at \(head), and is pushed up to \(position.revision)")
        }
    }
}

extension Ask {
    /// The reasons for which it may fail.
    fileprivate var errors: Set<String> {
        switch self {
        case .userFetch:
            ["upstream_failed", "not_found", "timeout", "busy", "degraded"]
        case .rename: ["invalid_transition", "degraded"]
        case .moviesFetch:
            [
                "upstream_failed", "not_found", "timeout", "busy", "degraded", "end_of_list",
                "out_of_range",
            ]
        case .subscribe: ["already_subscribed", "too_many_subscriptions"]
        case .unsubscribe: ["not_subscribed"]
        case .malformed(let reason): [reason]
        default: []
        }
    }
}
