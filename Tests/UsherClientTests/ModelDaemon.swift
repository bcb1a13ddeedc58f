// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherStreams

@testable import UsherClient

/// A daemon with one user and one list, that keeps to the protocol except where it is told to fail.
final class ModelDaemon: Sendable {
    enum Fault: CaseIterable, Sendable {
        /// Nothing goes wrong.
        case none
        /// A change is not pushed, and the next one is as if it had been.
        case dropped
        /// A change is pushed twice.
        case doubled
        /// The connection ends in the middle of a line.
        case cut
        /// History is lost: a new epoch, without a word.
        case newEpoch
        /// A line that is for nobody comes before.
        case stray
        /// The push comes in single bytes.
        case split
        /// A line that no reader has to take.
        case huge
    }

    struct Model: Sendable {
        var epoch: UInt64 = 0xAA
        var revision = 0
        var name = ""
        var ids: [Int64] = []
        /// The revision at which the list began.
        var generation = 0
        /// How many movies the list had at each of its revisions.
        var counts: [Int: Int] = [0: 0]
        var peer: FakePeer?
        var subscriptions: [String: Subscription] = [:]
        var faults: [Fault] = []

        func cursor(_ revision: Int) -> String {
            let digits = String(epoch, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits + ":\(revision)"
        }
    }

    struct Subscription: Sendable {
        let sent: String
        let count: Int
        let generation: Int
        let isList: Bool
    }

    private let model = Guarded(Model())
    private let server: FakeServer
    /// The faults that reached a connection.
    var faults: [Fault] { model.withLock { $0.faults } }

    var name: String { model.withLock { $0.name } }
    var ids: [Int64] { model.withLock { $0.ids } }

    init(_ server: FakeServer) {
        self.server = server
    }

    /// Serves one connection after the other, until the server is stopped and the last one ends.
    func serve() async throws {
        while let peer = try await server.nextPeer() {
            try await peer.greet()
            model.withLock { model in
                model.peer = peer
                model.subscriptions = [:]
            }
            while let request = try await peer.request(where: { _ in true }) {
                model.withLock { $0.answer(request, over: peer) }
            }
        }
    }

    func rename(to name: String, _ fault: Fault) {
        change(fault) { $0.name = name }
    }

    func append(_ count: Int, _ fault: Fault) {
        change(fault) { model in
            let first = Int64(model.ids.count) + Int64(model.revision) * 1_000
            model.ids += (0..<Int64(count)).map { first + $0 }
        }
    }

    func refresh(_ fault: Fault) {
        change(fault) { model in
            model.ids = []
            model.generation = model.revision
        }
    }

    private func change(_ fault: Fault, _ body: (inout Model) -> Void) {
        model.withLock { model in
            model.revision += 1
            if fault == .newEpoch {
                model.epoch += 1
                model.counts = [:]
                model.generation = model.revision
            }
            body(&model)
            model.counts[model.revision] = model.ids.count
            for name in model.subscriptions.keys.sorted() { model.push(name, fault) }
            if fault == .cut { model.peer?.close() }
        }
    }
}

extension ModelDaemon.Model {
    fileprivate mutating func answer(_ request: Received, over peer: FakePeer) {
        switch request.method {
        case "subscribe": begin(request, over: peer)
        case "unsubscribe":
            subscriptions[request.name] = nil
            peer.reply(to: request, "{}")
        default: peer.reply(to: request, #"{"uptime_ms":1}"#)
        }
    }

    private mutating func begin(_ request: Received, over peer: FakePeer) {
        let isList = request.params?.topic == "movies/popular"
        if let since = request.params?.since, let count = countForResuming(since, isList: isList) {
            subscriptions[request.name] = ModelDaemon.Subscription(
                sent: since, count: count, generation: generation, isList: isList)
            peer.resume(request)
            if since != cursor(revision) { push(request.name, .none) }
            return
        }
        subscriptions[request.name] = ModelDaemon.Subscription(
            sent: cursor(revision), count: ids.count, generation: generation, isList: isList)
        peer.begin(
            request, cursor: cursor(revision),
            snapshot: isList ? change("reset", from: 0) : userJSON(1, name))
    }

    private func countForResuming(_ since: String, isList: Bool) -> Int? {
        let known = counts.first { cursor($0.key) == since }
        guard let known, !isList || known.key >= generation else { return nil }
        return known.value
    }

    fileprivate mutating func push(_ name: String, _ fault: ModelDaemon.Fault) {
        guard let peer, let subscription = subscriptions[name] else { return }
        let isReset = subscription.generation != generation
        let data =
            subscription.isList
            ? change(isReset ? "reset" : "append", from: isReset ? 0 : subscription.count)
            : userJSON(1, self.name)
        let line = FakePeer.push(
            name, prev: subscription.sent, cursor: cursor(revision), data)
        subscriptions[name] = ModelDaemon.Subscription(
            sent: cursor(revision), count: ids.count, generation: generation,
            isList: subscription.isList)
        send(line, fault, over: peer)
    }

    private mutating func send(_ line: String, _ fault: ModelDaemon.Fault, over peer: FakePeer) {
        faults.append(fault)
        switch fault {
        case .dropped: return
        case .cut: return peer.send(bytes: Array(line.utf8.prefix(line.utf8.count / 2)))
        case .huge: peer.send(String(repeating: "x", count: 70_000))
        case .stray: peer.send(#"{"method":"event","params":{"as":"x","data":{}}}"#)
        case .split:
            for byte in line.utf8 { peer.send(bytes: [byte]) }
            return peer.send("")
        case .doubled: peer.send(line)
        case .none, .newEpoch: break
        }
        peer.send(line)
    }

    private func change(_ operation: String, from start: Int) -> String {
        let items = ids[start...].map { #"{"id":\#($0),"title":"Film"}"# }.joined(separator: ",")
        return """
            {"op":"\(operation)","at":\(start),"items":[\(items)],\
            "status":\(statusJSON(total: ids.count))}
            """
    }
}
