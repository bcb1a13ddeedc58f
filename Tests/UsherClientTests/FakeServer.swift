// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// A daemon that does what a test tells it to, right or wrong, over real sockets. It has threads of
// its own, so that a test never blocks the few threads that tasks share.

import Foundation
import UsherStreams
import UsherWire

/// A listening socket, and the connections it has accepted.
final class FakeServer: Sendable {
    let path: String
    private let peers = Inbox<FakePeer?>()
    /// How many connections were accepted.
    let accepted = Recorder<Void>()
    private let listener: Descriptor

    /// Listens at a path of its own, or takes over the path of a server that was stopped.
    init(path: String = FakeServer.newPath()) throws {
        self.path = path
        try? FileManager.default.removeItem(atPath: path)
        listener = Descriptor(try listen(at: path))
        let thread = Thread { [listener, peers, accepted] in
            while let descriptor = accept(from: listener.raw) {
                accepted.add(())
                peers.put(FakePeer(descriptor))
            }
            listener.close()
            peers.put(nil)
        }
        thread.start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Listens no longer, and leaves the socket behind as a daemon that was killed does.
    func stop() {
        listener.shutdown()
    }

    /// The next connection.
    func peer() async throws -> FakePeer {
        guard let peer = try await nextPeer() else {
            preconditionFailure("the server was stopped, and a test waits for a connection")
        }
        return peer
    }

    /// The next connection, or nil once the server was stopped.
    func nextPeer() async throws -> FakePeer? {
        try await peers.next()
    }

    /// The next connection, greeted.
    func greetedPeer(engine: String = "null") async throws -> FakePeer {
        let peer = try await peer()
        try await peer.greet(engine: engine)
        return peer
    }

    static func newPath() -> String {
        "/tmp/usher-\(UInt32.random(in: 0...UInt32.max)).sock"
    }
}

/// The server's end of one connection.
final class FakePeer: Sendable {
    private let descriptor: Descriptor
    private let received = Inbox<Received?>()
    private let reading = Gate()
    private let passedOver = Guarded<[Received]>([])

    init(_ descriptor: Int32) {
        self.descriptor = Descriptor(descriptor)
        let thread = Thread { [received, reading, descriptor = self.descriptor] in
            var framer = LineFramer()
            while reading.wait(), let bytes = receive(from: descriptor.raw) {
                framer.append(bytes)
                while case .line(let range)? = framer.next() {
                    let line = Data(framer.buffer[range])
                    received.put(try? JSONDecoder().decode(Received.self, from: line))
                }
            }
            descriptor.close()
            received.put(nil)
        }
        thread.start()
    }

    deinit {
        descriptor.shutdown()
    }

    /// The next request that fits, whatever came before it; nil at the end of the connection.
    func request(where fits: (Received) -> Bool) async throws -> Received? {
        let found = passedOver.withLock { requests in
            requests.firstIndex(where: fits).map { requests.remove(at: $0) }
        }
        if let found { return found }
        while let request = try await received.next() {
            if fits(request) { return request }
            passedOver.withLock { $0.append(request) }
        }
        return nil
    }

    /// The next request of a method; one that never came fails the test by its time limit.
    func request(_ method: String, topic: String? = nil) async throws -> Received {
        let request = try await request {
            $0.method == method && (topic == nil || $0.params?.topic == topic)
        }
        guard let request else { throw Ended(method: method) }
        return request
    }

    /// What was requested so far and not asked for, until the end of the connection.
    func rest() async throws -> [Received] {
        _ = try await request { _ in false }
        return passedOver.withLock { $0 }
    }

    /// What was requested so far and not asked for, up to the next ping, which is answered.
    func restUntilPing() async throws -> [Received] {
        reply(to: try await request("ping"), #"{"uptime_ms":1}"#)
        return passedOver.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }

    /// Answers `hello` and the client's own subscription to the engine.
    func greet(engine: String = "null") async throws {
        guard let hello = try await request(where: { $0.method == "hello" }) else { return }
        reply(
            to: hello,
            """
            {"server":{"name":"usherd","version":"0.1.0"},"protocol":1,\
            "epoch":"00000000000000aa","role":"control","user":1000,"limits":{},"features":[]}
            """)
        guard let engineTopic = try await request(where: { $0.params?.topic == "engine" }) else {
            return
        }
        reply(
            to: engineTopic,
            """
            {"as":"\(engineTopic.name)","topic":"engine","cursor":"00000000000000aa:1",\
            "recovered":false,"reason":"no_cursor","snapshot":\(engine)}
            """)
        engineName.withLock { $0 = engineTopic.name }
    }

    /// What the client calls its subscription to the engine.
    let engineName = Guarded("")

    func send(_ line: String) {
        send(bytes: Array(line.utf8) + [0x0A])
    }

    func send(bytes: [UInt8]) {
        descriptor.send(bytes)
    }

    func reply(to request: Received, _ result: String) {
        send(#"{"jsonrpc":"2.0","id":\#(request.id ?? 0),"result":\#(result)}"#)
    }

    func fail(_ request: Received, _ reason: String, data: String = "") {
        send(
            """
            {"jsonrpc":"2.0","id":\(request.id ?? 0),"error":{"code":-32000,\
            "message":"no: \(reason)","data":{"reason":"\(reason)","retryable":false\(data)}}}
            """)
    }

    /// Confirms a subscription with a snapshot.
    func begin(
        _ request: Received, cursor: String, reason: String = "no_cursor", snapshot: String,
        more: Bool = false
    ) {
        reply(
            to: request,
            """
            {"as":"\(request.name)","topic":"x","cursor":"\(cursor)","recovered":false,\
            "reason":"\(reason)","snapshot":\(snapshot)\(more ? #","more":true"# : "")}
            """)
    }

    /// Confirms a subscription that goes on from the client's cursor.
    func resume(_ request: Received) {
        reply(
            to: request,
            """
            {"as":"\(request.name)","topic":"x","cursor":"\(request.params?.since ?? "")",\
            "recovered":true}
            """)
    }

    func push(_ name: String, prev: String, cursor: String, _ data: String, more: Bool = false) {
        send(Self.push(name, prev: prev, cursor: cursor, data, more: more))
    }

    static func push(
        _ name: String, prev: String, cursor: String, _ data: String, more: Bool = false
    ) -> String {
        """
        {"jsonrpc":"2.0","method":"event","params":{"as":"\(name)","topic":"x",\
        "cursor":"\(cursor)","prev":"\(prev)","data":\(data)\(more ? #","more":true"# : "")}}
        """
    }

    /// Takes nothing in any more, after what it is waiting for at this moment.
    func pauseReading() { reading.close() }
    func resumeReading() { reading.open() }

    /// Hangs up.
    func close() {
        descriptor.shutdown()
    }
}

/// A request as the server got it.
struct Received: Decodable, Sendable {
    let id: Int?
    let method: String
    let params: Params?

    struct Params: Decodable, Sendable {
        let topic: String?
        let name: String?
        let since: String?
        let list: String?
        let user: Int64?
        let page: Int?
        let key: String?
        let offset: Int?
        let limit: Int?
        let subscription: String?

        enum CodingKeys: String, CodingKey {
            case topic, name, since, list, user, page, key, offset, limit
            case subscription = "as"
        }
    }

    /// The subscription's name.
    var name: String { params?.subscription ?? "" }
}

/// The connection ended before the request that a test waited for.
struct Ended: Error {
    let method: String
}

/// Holds a thread up while it is closed.
final class Gate: Sendable {
    private let condition = NSCondition()
    private let isOpen = Guarded(true)

    func close() {
        isOpen.withLock { $0 = false }
    }

    func open() {
        condition.lock()
        isOpen.withLock { $0 = true }
        condition.broadcast()
        condition.unlock()
    }

    /// Always true.
    func wait() -> Bool {
        condition.lock()
        while !isOpen.withLock({ $0 }) { condition.wait() }
        condition.unlock()
        return true
    }
}

/// What threads leave for a test that waits for it.
final class Inbox<Element: Sendable>: Sendable {
    private typealias Continuation = CheckedContinuation<Element, any Error>

    private struct State {
        var elements: [Element] = []
        var waiter: Continuation?
        var isCancelled = false
    }

    private let state = Guarded(State())

    func put(_ element: Element) {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            if state.waiter == nil { state.elements.append(element) }
            return state.waiter
        }
        waiter?.resume(returning: element)
    }

    /// The next element; for one waiting task at a time.
    ///
    /// Throws when the test is cancelled, as it is when its time is over.
    func next() async throws -> Element {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Continuation) in
                let outcome = state.withLock { state -> Result<Element, any Error>? in
                    if !state.elements.isEmpty { return .success(state.elements.removeFirst()) }
                    if state.isCancelled { return .failure(CancellationError()) }
                    state.waiter = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                state.isCancelled = true
                return state.waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }
}
