// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherEventLoop

/// Requests that are tried again when that makes sense, and whose answers are read off the loop.
///
/// An answer of two megabytes takes long to decode, so that is done on the thread pool. Lives on
/// the loop's thread; must be closed before it is released.
package final class HTTPFetcher {
    /// What has been asked so far.
    ///
    /// A service adds what only it can count.
    package var counters = UpstreamCounters()

    private let loop: EventLoop
    private let client: HTTPClient
    private let policy: RetryPolicy
    private let random: (ClosedRange<UInt64>) -> UInt64
    private var calls: [Int: Call] = [:]
    private var lastCall = 0
    private var isClosed = false

    /// `random` draws a number from a range, for the waits between tries.
    package init(
        on loop: EventLoop, client: HTTPClient, policy: RetryPolicy = RetryPolicy(),
        random: @escaping (ClosedRange<UInt64>) -> UInt64 = { UInt64.random(in: $0) }
    ) {
        self.loop = loop
        self.client = client
        self.policy = policy
        self.random = random
    }

    /// Sends a request until it gives a value or an error that trying again does not mend.
    ///
    /// `read` runs on a thread of the pool. Completes once, on the loop; after `close()` never.
    package func fetch<Value: Sendable>(
        _ request: HTTPRequest,
        read: @escaping @Sendable (HTTPResponse) -> Result<Value, UpstreamError>,
        completion: @escaping (Result<Value, UpstreamError>) -> Void
    ) {
        guard !isClosed else { return }
        lastCall += 1
        let number = lastCall
        let call = Call()
        calls[number] = call

        let finish = { [unowned self] (result: Result<Value, UpstreamError>) in
            if case .failure(let error) = result, retry(number, after: error) { return }
            guard calls.removeValue(forKey: number) != nil else { return }
            call.end()
            completion(result)
        }
        let limit = client.limits.bodyBytes
        let place = request.base.place
        call.attempt = { [unowned self] in
            client.get(request) { [unowned self] result in
                count(result)
                switch result {
                case .failure(let error): finish(.failure(error))
                case .success(let response):
                    loop.work {
                        inflate(response, limit: limit, place: place).flatMap(read)
                    } then: { [weak self] value in
                        guard let self, !isClosed else { return }
                        finish(value)
                    }
                }
            }
        }
        call.attempt?()
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

    /// Arranges another try, if the policy wants one.
    private func retry(_ number: Int, after error: UpstreamError) -> Bool {
        guard let call = calls[number] else { return false }
        call.failures += 1
        guard let delay = policy.delay(after: error, failures: call.failures, random: random)
        else { return false }
        call.timer = Timer(on: loop) { [unowned self] in
            counters.retries += 1
            calls[number]?.attempt?()
        }
        call.timer?.start(afterMilliseconds: delay)
        return true
    }

    private func count(_ result: Result<HTTPResponse, UpstreamError>) {
        guard case .success(let response) = result else {
            counters.requests[0, default: 0] += 1
            return
        }
        counters.requests[response.status, default: 0] += 1
        counters.bodyBytes += response.body.count
    }
}

/// One request with its tries.
private final class Call {
    var failures = 0
    var attempt: (() -> Void)?
    var timer: Timer?

    /// Lets go of what refers back to the call.
    func end() {
        attempt = nil
        timer = nil
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
