// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherStreams

extension Link {
    /// Sends a request, or leaves it for the next connection, and waits for its answer.
    ///
    /// - Returns: The JSON of the result.
    func perform(_ request: Request, timeout: Duration?) async throws(ClientError) -> [UInt8] {
        let timeout = timeout ?? options.requestTimeout
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let id = state.withLock { $0.nextID() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: PendingCall.Continuation) in
                guard !Task.isCancelled else {
                    continuation.resume(returning: .failure(Self.cancelled(request.method)))
                    return
                }
                submit(
                    PendingCall(
                        request, id: id, timeout: timeout, deadline: deadline,
                        continuation: continuation),
                    id: id)
                // Cancelled between the two: the handler found nothing.
                if Task.isCancelled { abandon(id) }
            }
        } onCancel: {
            abandon(id)
        }
        return try outcome.get()
    }

    private func submit(_ call: PendingCall, id: Int) {
        let (isClosed, isForThread) = state.withLock { state in
            guard !state.isClosed else { return (true, false) }
            let isFirstDue = state.calls.add(call, id: id)
            state.sendCalls()
            return (false, isFirstDue || !state.isGreeted || !state.output.isEmpty)
        }
        if isClosed { call.continuation.resume(returning: .failure(Self.closed)) }
        if isForThread { bell.ring() }
    }

    /// Lets a caller go; the answer, should it come, is one to nobody.
    private func abandon(_ id: Int) {
        let call = state.withLock { $0.calls.remove(id) }
        guard let call else { return }
        call.continuation.resume(returning: .failure(Self.cancelled(call.method)))
    }

    static func cancelled(_ method: String) -> ClientError {
        ClientError(
            .cancelled, "\(method) was cancelled; the daemon may have carried it out all the same")
    }

    static let closed = ClientError(
        .closed, "the client is closed; make another UsherClient to go on")
}

// MARK: What the thread calls

extension Link {
    /// Resumes the caller of a request, unless it is to be sent again; false if nobody waits for it.
    func complete(_ id: Int, _ outcome: PendingCall.Outcome) -> Bool {
        let (call, isKept) = state.withLock { state in
            if case .failure(let error) = outcome, state.calls.keeps(id, refusedFor: error.reason) {
                return (nil as PendingCall?, true)
            }
            return (state.calls.remove(id), false)
        }
        call?.continuation.resume(returning: outcome)
        return isKept || call != nil
    }

    /// Resumes the callers whose time is over.
    ///
    /// - Returns: When to look again; nil if nobody waits.
    func expireCalls() -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        let (expired, failure, next) = state.withLock { state in
            let expired = state.calls.removeExpired(at: now)
            return (expired, state.isGreeted ? nil : state.failure, state.calls.nextDeadline)
        }
        for call in expired {
            call.continuation.resume(returning: .failure(call.timedOut(withoutConnection: failure)))
        }
        return next
    }

    /// Sends what had to wait for the connection.
    func greeted() {
        state.withLock { state in
            state.isGreeted = true
            state.wasGreeted = true
            state.failure = nil
            state.sendCalls()
        }
    }

    /// Shows whether the daemon can store anything, if that is news.
    func note(isDegraded: Bool) {
        guard case .connected(var daemon) = connection.current, daemon.isDegraded != isDegraded
        else { return }
        daemon.isDegraded = isDegraded
        connection.set(.connected(daemon))
    }

    /// Sends lines of the thread's own, ahead of waiting requests.
    func send(_ line: [UInt8]) {
        state.withLock { state in
            state.output.append(line)
            state.output.flush()
        }
    }

    /// Lets go of the socket; the callers whose requests cannot be sent again hear of it.
    ///
    /// A first connection that cannot be made for a plain reason, such as a missing socket, is told
    /// to all who wait; after that a daemon that is not there is one that restarts.
    func lost(_ failure: ClientError) {
        let failed = state.withLock { state in
            // The descriptor is closed with the last reference.
            state.output = Output()
            state.isGreeted = false
            state.failure = failure
            let isPlain = !state.wasGreeted && Self.plainFailures.contains(failure.code)
            let unanswered = state.calls.removeUnrepeatable().map { ($0, $0.lost(failure)) }
            return unanswered + (isPlain ? state.calls.removeAll().map { ($0, failure) } : [])
        }
        for (call, error) in failed { call.continuation.resume(returning: .failure(error)) }
    }

    private static let plainFailures: Set<ClientError.Code> = [
        .missingSocket, .staleSocket, .forbiddenSocket, .invalidSocketPath,
    ]

    /// Ends everything.
    func end() {
        let (calls, feeds) = state.withLock { state in
            state.isClosed = true
            state.output = Output()
            return (state.calls.removeAll(), Array(state.feeds.values))
        }
        for call in calls { call.continuation.resume(returning: .failure(Self.closed)) }
        connection.set(.closed)
        connection.finish()
        engine.finish()
        for feed in feeds { feed.finish() }
    }
}

extension Link.State {
    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Sends waiting requests as far as the daemon takes them.
    mutating func sendCalls() {
        output.flush()
        while isGreeted, output.hasRoom, let line = calls.takeUnsent() {
            output.append(line)
        }
        output.flush()
    }
}

extension PendingCall {
    fileprivate init(
        _ request: Request, id: Int, timeout: Duration, deadline: ContinuousClock.Instant,
        continuation: Continuation
    ) {
        self.init(
            method: request.method, line: request.line(id: id), timeout: timeout,
            deadline: deadline, continuation: continuation, repetition: request.repetition)
    }

    fileprivate func timedOut(withoutConnection failure: ClientError?) -> ClientError {
        guard let failure else {
            return ClientError(
                .timedOut,
                "\(method) was not answered within \(timeout); see whether the daemon is "
                    + "overloaded, or allow more time",
                isRetryable: true)
        }
        return ClientError(
            .timedOut, "\(method) found no connection within \(timeout): \(failure.message)",
            isRetryable: true, underlying: failure)
    }

    fileprivate func lost(_ failure: ClientError) -> ClientError {
        ClientError(
            .connectionLost,
            "the connection ended before \(method) was answered, and whether it was carried out "
                + "is not known; look, then try again (\(failure.message))",
            isRetryable: true, underlying: failure)
    }
}

// MARK: What the thread asks

extension Link {
    var isSending: Bool { state.withLock { !$0.output.isEmpty } }

    /// Whether somebody waits, and there never was a connection.
    var isFirstConnectionAwaited: Bool {
        state.withLock { !$0.wasGreeted && $0.calls.count > 0 }
    }

    func isObserved(_ topic: FeedTopic) -> Bool {
        state.withLock { $0.observedStreams[topic, default: 0] > 0 }
    }
}
