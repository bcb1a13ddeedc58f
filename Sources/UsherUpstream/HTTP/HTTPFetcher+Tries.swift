// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The life of one call: its turn, a try, the answer or the failure, and then the next try or the end.

internal import UsherEventLoop

extension HTTPFetcher {
    /// Makes a try when it is the call's turn.
    func attempt(_ call: HTTPCall) {
        let now = loop.now
        if let rest = circuit.refusal(at: now) { return refuse(call, rest) }
        let wait = bucket.wait(at: now)
        guard now + wait < call.deadline else { return crowdOut(call, wait) }
        bucket.take(at: now)
        guard wait > 0 else { return send(call) }
        counters.delayed += 1
        self.wait(call, wait) { $0.send($1) }
    }

    private func wait(
        _ call: HTTPCall, _ milliseconds: UInt64,
        then: @escaping (HTTPFetcher, HTTPCall) -> Void
    ) {
        let number = call.number
        call.phase = .waiting
        call.timer = Timer(on: loop) { [unowned self] in
            if let call = calls[number] { then(self, call) }
        }
        call.timer?.start(afterMilliseconds: milliseconds)
    }

    private func send(_ call: HTTPCall) {
        switch circuit.admit(at: loop.now) {
        case .refuse(let rest): return refuse(call, rest)
        case .pass: call.isProbe = false
        case .probe:
            call.isProbe = true
            report(.probing, call)
        }
        if call.failures > 0 { counters.retries += 1 }
        attempts += 1
        call.attempt = attempts
        call.known = answers.find(call.request.key)
        var request = call.request
        request.validators = call.known?.response.validators
        call.phase = .sent(nil)
        let id = client.get(request, withinMilliseconds: call.deadline - loop.now) {
            [unowned self, number = call.number] result in
            if let call = calls[number] { answered(call, result) }
        }
        if case .sent = call.phase { call.phase = .sent(id) }
    }

    private func answered(_ call: HTTPCall, _ result: Result<HTTPResponse, UpstreamError>) {
        switch result {
        case .failure(let error):
            counters.requests[0, default: 0] += 1
            failed(call, error)
        case .success(let response):
            counters.requests[response.status, default: 0] += 1
            counters.bodyBytes += response.body.count
            call.phase = .reading
            if response.status == 304, let known = call.known {
                counters.unchanged += 1
                call.read?(known.response)
            } else {
                call.known = nil
                call.read?(response)
            }
        }
    }

    /// The answer made sense; the caller completes the call.
    func succeeded(_ call: HTTPCall, _ response: HTTPResponse?) {
        report(circuit.succeeded(), call)
        missing.forget(call.request.key)
        if call.known == nil, let response {
            answers.remember(response, for: call.request.key, attempt: call.attempt)
        }
        end(call)
    }

    /// A try failed: arranges another, or ends the call.
    func failed(_ call: HTTPCall, _ error: UpstreamError) {
        let now = loop.now
        let pause = UInt64(max(0, error.retryAfterMilliseconds ?? 0))
        if error.isNoAnswer {
            lastFailure = error.message
            report(circuit.failed(isProbe: call.isProbe, at: now, pause: pause), call, error)
        } else {
            report(circuit.succeeded(), call)
        }
        if error.retryAfterMilliseconds != nil { bucket.pause(until: now + pause) }
        call.isProbe = false
        call.failures += 1
        call.lastFailure = error
        guard
            let delay = limits.retry.delay(after: error, failures: call.failures, random: random),
            now + delay < call.deadline, circuit.refusal(at: now + delay) == nil
        else { return give(up: call, error) }
        wait(call, delay) { $0.attempt($1) }
    }

    private func give(up call: HTTPCall, _ error: UpstreamError) {
        missing.remember(error, for: call.request.key, at: loop.now)
        var error = error
        if error.isRetryable, let rest = circuit.refusal(at: loop.now) {
            error.retryAfterMilliseconds = max(error.retryAfterMilliseconds ?? 0, Int(rest))
        }
        end(call, error)
    }

    /// The service is left alone at present.
    private func refuse(_ call: HTTPCall, _ rest: UInt64) {
        circuit.countRefusal()
        counters.circuit = circuit.counters
        var error =
            call.lastFailure
            ?? UpstreamError(
                .resting,
                "\(call.request.base.place) keeps failing and is left alone for a while: "
                    + lastFailure)
        error.retryAfterMilliseconds = max(error.retryAfterMilliseconds ?? 0, Int(rest))
        end(call, error)
    }

    /// The call's turn would come after its deadline.
    private func crowdOut(_ call: HTTPCall, _ wait: UInt64) {
        counters.crowdedOut += 1
        let place = call.request.base.place
        var error =
            call.lastFailure
            ?? (loop.now < bucket.pausedUntil
                ? UpstreamError(.resting, "\(place) asked to be left alone for a while")
                : UpstreamError(
                    .rateLimited, "more is asked of \(place) than it may be asked at once"))
        error.retryAfterMilliseconds = max(
            error.retryAfterMilliseconds ?? 0, Int(clamping: wait))
        end(call, error)
    }

    /// The call is at its deadline.
    func expired(_ number: Int) {
        guard let call = calls[number] else { return }
        counters.expired += 1
        let timeout = UpstreamError(
            .timeout,
            "\(call.request.base.place) did not answer within "
                + duration(limits.deadlineMilliseconds))
        if case .sent(let id) = call.phase {
            if let id { client.cancel(id) }
            counters.requests[0, default: 0] += 1
            lastFailure = timeout.message
            report(circuit.failed(isProbe: call.isProbe, at: loop.now), call, timeout)
        } else if call.isProbe {
            // It did answer, and the machine was too busy to read it.
            report(circuit.succeeded(), call)
        }
        give(up: call, call.lastFailure ?? timeout)
    }

    private func end(_ call: HTTPCall, _ error: UpstreamError? = nil) {
        guard calls.removeValue(forKey: call.number) != nil else { return }
        let fail = call.fail
        call.end()
        if let error { fail?(error) }
    }

    /// Tells of a change of the circuit's state.
    private func report(
        _ change: CircuitBreaker.Change?, _ call: HTTPCall, _ error: UpstreamError? = nil
    ) {
        counters.circuit = circuit.counters
        let place = call.request.base.place
        switch change {
        case nil: break
        case .opened(let failures, let milliseconds):
            onCircuitChange(
                "\(place) failed \(failures) times in a row and is left alone for "
                    + "\(duration(Int(clamping: milliseconds))): \(error?.message ?? "")")
        case .probing: onCircuitChange("\(place) is asked again, to see whether it answers")
        case .closed: onCircuitChange("\(place) answers again")
        }
    }
}
