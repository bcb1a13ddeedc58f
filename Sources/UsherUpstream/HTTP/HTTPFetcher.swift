// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherEventLoop

/// Requests to one service, made with manners.
///
/// Not too often, again when that makes sense, not at all while the service fails, nothing twice that is known, and each
/// within a deadline. Answers are read off the loop.
///
/// An answer of two megabytes takes long to decode, so that is done on the thread pool. Lives on
/// the loop's thread; must be closed before it is released.
package final class HTTPFetcher {
    /// What has been asked so far.
    package internal(set) var counters = UpstreamCounters()
    /// Is told, in words for the log, when the service is left alone and when no longer.
    package var onCircuitChange: (String) -> Void = { _ in }

    let loop: EventLoop
    let client: HTTPClient
    let random: (ClosedRange<UInt64>) -> UInt64
    var bucket: TokenBucket
    var circuit: CircuitBreaker
    var missing: RememberedFailures
    var answers: RememberedAnswers
    var calls: [Int: HTTPCall] = [:]
    /// Tries so far, to tell which answer was asked for later.
    var attempts: UInt64 = 0
    /// How the service failed last, for those who are refused since it does.
    var lastFailure = ""
    private var lastCall = 0
    private var isClosed = false

    var limits: HTTPLimits { client.limits }

    /// `random` draws a number from a range, for the waits between tries.
    package init(
        on loop: EventLoop, client: HTTPClient,
        random: @escaping (ClosedRange<UInt64>) -> UInt64 = { UInt64.random(in: $0) }
    ) {
        self.loop = loop
        self.client = client
        self.random = random
        let limits = client.limits
        bucket = TokenBucket(rate: limits.rate, burst: limits.burst)
        circuit = CircuitBreaker(limits.circuit)
        missing = RememberedFailures(
            limit: limits.missingEntries, milliseconds: UInt64(limits.missingMilliseconds))
        answers = RememberedAnswers(limit: limits.keptEntries, bytes: limits.keptBytes)
    }

    /// Sends a request until it gives a value, an error that trying again does not mend, or is at its deadline.
    ///
    /// `read` runs on a thread of the pool. Completes once, on the loop, possibly before `fetch` returns; after
    /// `close()` never.
    package func fetch<Value: Sendable>(
        _ request: HTTPRequest,
        read: @escaping @Sendable (HTTPResponse) -> Result<Value, UpstreamError>,
        completion: @escaping (Result<Value, UpstreamError>) -> Void
    ) {
        guard !isClosed else { return }
        if let failure = missing.find(request.key, at: loop.now) {
            counters.remembered += 1
            completion(.failure(failure))
            return
        }
        lastCall += 1
        let number = lastCall
        let call = HTTPCall(
            number, request, deadline: loop.now + UInt64(limits.deadlineMilliseconds),
            expiry: Timer(on: loop) { [unowned self] in expired(number) })
        let limit = limits.bodyBytes
        let place = request.base.place
        call.read = { [unowned self] response in
            loop.work {
                let whole = inflate(response, limit: limit, place: place)
                return (whole, whole.flatMap(read))
            } then: { [weak self] (whole: Result<HTTPResponse, UpstreamError>, value) in
                // A call that was abandoned meanwhile, or is past its deadline, ends without effect.
                guard let self, let call = calls[number] else { return }
                switch value {
                case .success(let value):
                    succeeded(call, try? whole.get())
                    completion(.success(value))
                case .failure(let error): failed(call, error)
                }
            }
        }
        call.fail = { completion(.failure($0)) }
        calls[number] = call
        call.expiry.start(afterMilliseconds: UInt64(limits.deadlineMilliseconds))
        attempt(call)
    }

    /// Counts what a service found odd in an answer.
    func count(droppedRows: Int = 0, repairedFields: Int = 0) {
        counters.droppedRows += droppedRows
        counters.repairedFields += repairedFields
    }

    /// Forgets what was not there below a path.
    func forgetFailures(path: String) {
        missing.forget(beginningWith: path + "?")
    }

    /// Abandons all requests, and closes the client; nothing completes after.
    ///
    /// May be called twice.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        client.close()
        for call in calls.values { call.end() }
        calls = [:]
    }
}

private func inflate(
    _ response: HTTPResponse, limit: Int, place: String
) -> Result<HTTPResponse, UpstreamError> {
    var response = response
    do throws(UpstreamError) {
        try response.inflateUnannouncedGzip(limit: limit, place: place)
    } catch {
        return .failure(error)
    }
    return .success(response)
}
