// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherEventLoop

/// One request to a service, with its tries.
final class HTTPCall {
    /// Where a call is.
    enum Phase {
        /// Waits for its turn or for the next try.
        case waiting
        /// A try is on its way.
        case sent(HTTPClient.RequestID?)
        /// The answer is being read on the pool.
        case reading
    }

    let number: Int
    let request: HTTPRequest
    /// The moment at which it ends, whatever comes.
    let deadline: UInt64
    /// Fires at the deadline.
    let expiry: Timer
    var phase = Phase.waiting
    /// Tries that failed, and how the last one did.
    var failures = 0
    var lastFailure: UpstreamError?
    /// Whether the try on its way is the circuit's probe.
    var isProbe = false
    /// The place of the try on its way among all tries.
    var attempt: UInt64 = 0
    /// The answer that the try on its way asks about.
    var known: RememberedAnswers.Entry?
    /// Fires when a wait is over.
    var timer: Timer?
    /// Reads an answer on the pool, and goes on from there.
    var read: ((HTTPResponse) -> Void)?
    /// Tells the one who asked that it failed.
    var fail: ((UpstreamError) -> Void)?

    init(_ number: Int, _ request: HTTPRequest, deadline: UInt64, expiry: consuming Timer) {
        self.number = number
        self.request = request
        self.deadline = deadline
        self.expiry = expiry
    }

    /// Lets go of what refers back to the call.
    func end() {
        read = nil
        fail = nil
        timer = nil
        expiry.stop()
    }
}
