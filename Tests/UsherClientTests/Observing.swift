// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherStreams

@testable import UsherClient

/// Keeps what an observer is given, and lets a test wait for it.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])
    private let arrivals = Inbox<Void>()

    var all: [Element] { elements.withLock { $0 } }

    func add(_ element: Element) {
        elements.withLock { $0.append(element) }
        arrivals.put(())
    }

    /// The first so many elements, as soon as they are there.
    func first(_ count: Int) async throws -> [Element] {
        while all.count < count { try await arrivals.next() }
        return Array(all.prefix(count))
    }

    /// The first element that fits, as soon as it is there.
    func until(_ fits: (Element) -> Bool) async throws -> Element {
        while true {
            if let element = all.first(where: fits) { return element }
            try await arrivals.next()
        }
    }
}

extension StateStream {
    /// The first value that fits, as soon as it is there.
    func first(where fits: (Value) -> Bool) async -> Value? {
        for await value in self where fits(value) { return value }
        return nil
    }
}

extension StateStream where Value: Equatable {
    /// Returns once the value is this one, or the stream has ended.
    func becomes(_ value: Value) async {
        _ = await first { $0 == value }
    }
}

extension UsherClient {
    /// Why there is no connection, the first time that there is none.
    func firstDisconnection() async throws -> ClientError {
        let failures = Inbox<ClientError>()
        let observation = connection.observe { state in
            if case .disconnected(let error) = state { failures.put(error) }
        }
        defer { observation.cancel() }
        return try await failures.next()
    }
}

extension UsherClient.Options {
    /// Pauses that a test does not notice.
    static var quick: UsherClient.Options {
        var options = UsherClient.Options()
        options.reconnectBase = .milliseconds(1)
        options.reconnectCap = .milliseconds(5)
        return options
    }

    /// Pauses that end with the client only.
    static var patient: UsherClient.Options {
        var options = UsherClient.Options()
        options.jitter = { _ in .seconds(3600) }
        return options
    }
}

extension UsherClient {
    /// Returns once so many requests wait for their answers or for being sent.
    func untilWaiting(_ count: Int) async {
        while link.state.withLock({ $0.calls.count }) < count { await Task.yield() }
    }
}
