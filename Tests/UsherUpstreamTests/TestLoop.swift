// Part of Usher. SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing
import UsherEventLoop
import UsherWire

@testable import UsherUpstream

/// A loop for one test, with what the test made on it.
final class TestLoop {
    /// Milliseconds after which a wait is given up; only a failing test takes so long.
    static let patienceMilliseconds: UInt64 = 20_000

    let loop: EventLoop
    private var closers: [() -> Void] = []

    init() throws {
        loop = try EventLoop()
    }

    /// Closes what was made, then the loop.
    func close() {
        for closer in closers.reversed() { closer() }
        closers = []
        loop.close()
    }

    /// Arranges that `closer` is called before the loop is closed.
    func onClose(_ closer: @escaping () -> Void) {
        closers.append(closer)
    }

    /// Runs the loop until `body`'s argument was called; gives what it was called with.
    func wait<Value>(_ body: (@escaping (Value) -> Void) -> Void) throws -> Value {
        var value: Value?
        let loop = loop
        let watchdog = Timer(on: loop) { loop.stop() }
        watchdog.start(afterMilliseconds: Self.patienceMilliseconds)
        var isRunning = false
        body {
            value = $0
            if isRunning { loop.stop() }
        }
        isRunning = true
        if value == nil { loop.run() }
        watchdog.stop()
        return try #require(value, "nothing completed in time")
    }

    /// Runs the loop for some time, for what must not happen.
    func run(forMilliseconds time: UInt64) {
        let loop = loop
        let timer = Timer(on: loop) { loop.stop() }
        timer.start(afterMilliseconds: time)
        loop.run()
    }

    func makeClient(
        limits: HTTPLimits = HTTPLimits(), certificateFile: String? = nil,
        identity: HTTPIdentity? = nil
    ) -> HTTPClient {
        let identity =
            identity
            ?? HTTPIdentity(userAgent: "usherd/test", certificateFile: certificateFile)
        let client = HTTPClient(on: loop, identity: identity, limits: limits)
        onClose { client.close() }
        return client
    }

    /// A fetcher that hardly waits between tries.
    func makeFetcher(limits: HTTPLimits = HTTPLimits()) -> HTTPFetcher {
        var limits = limits
        limits.retry.firstDelayMilliseconds = 1
        limits.retry.longestDelayMilliseconds = 4
        let fetcher = HTTPFetcher(on: loop, client: makeClient(limits: limits))
        onClose { fetcher.close() }
        return fetcher
    }

    /// Sends one request with the client.
    func get(
        _ address: String, path: String = "/x", limits: HTTPLimits = HTTPLimits(),
        certificateFile: String? = nil, identity: HTTPIdentity? = nil
    ) throws -> Result<HTTPResponse, UpstreamError> {
        let client = makeClient(
            limits: limits, certificateFile: certificateFile, identity: identity)
        let request = HTTPRequest(
            try BaseURL(address, purpose: "the test server"), path: path, query: "page=1")
        return try wait { done in client.get(request, completion: done) }
    }

    /// The heads of the requests that the test server got for a token.
    func requests(token: String) throws -> [String] {
        let address = HTTPTestServer.shared.logAddress(token: token)
        let client = makeClient()
        let request = HTTPRequest(try BaseURL(address, purpose: "the log"), path: "")
        let response = try wait { done in client.get(request, completion: done) }.get()
        return try JSONDecoder().decode([String].self, from: Data(response.body))
    }
}

/// Gives a test a loop and closes it after.
func withTestLoop(_ body: (TestLoop) throws -> Void) throws {
    let test = try TestLoop()
    defer { test.close() }
    try body(test)
}

extension Result {
    var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Small limits, for services that hang.
let impatient = {
    var limits = HTTPLimits()
    limits.connectMilliseconds = 2_000
    limits.tryMilliseconds = 1_000
    return limits
}()
