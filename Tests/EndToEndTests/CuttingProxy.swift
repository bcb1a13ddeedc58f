// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import UsherStreams

/// Stands between a client and a daemon, and cuts a connection after so many bytes of one request or of its answer.
///
/// Each connection has a thread of its own.
final class CuttingProxy: Sendable {
    /// Where the next request of the method is cut.
    enum Cut: Sendable {
        case request(after: Int)
        case answer(after: Int)
    }

    let path: String
    private let listener: ThreadedListener
    private let plan = Plan()

    /// What the threads share.
    private final class Plan: Sendable {
        let state = Guarded(State())
    }

    private struct State: Sendable {
        var cut: Cut?
        /// Bytes of the request and of the answer that passed last, with their ends.
        var lengths = (request: 0, answer: 0)
        var cuts = 0
    }

    init(to daemon: RunningDaemon, cutting method: String) throws {
        path = daemon.folder.path + "/p"
        let method = "\"\(method)\""
        listener = try ThreadedListener(at: path) { [daemonPath = daemon.socketPath, plan] client in
            var conversation = Conversation(client, daemonPath, method, plan)
            conversation.run()
        }
    }

    /// Has the next request of the method be cut.
    func cutNext(_ cut: Cut) { plan.state.withLock { $0.cut = cut } }

    /// How many connections were cut.
    var cuts: Int { plan.state.withLock { $0.cuts } }

    /// Bytes of the last request of the method that passed, and of its answer.
    var lengths: (request: Int, answer: Int) { plan.state.withLock { $0.lengths } }

    /// One connection: lines from one side to the other, in whole, until one is to be cut.
    private struct Conversation {
        let client: Int32
        let daemon: LineClient?
        let method: String
        let plan: Plan
        /// The cut that waits for the answer.
        var answerCut: Int?
        var awaitsAnswer = false

        init(_ client: Int32, _ path: String, _ method: String, _ plan: Plan) {
            self.client = client
            daemon = try? LineClient(path: path)
            self.method = method
            self.plan = plan
        }

        mutating func run() {
            guard let daemon else { return }
            var pending = [UInt8]()
            var waits = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: daemon.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                guard unsafe poll(&waits, 2, -1) > 0 else { return }
                if waits[0].revents != 0 {
                    guard let bytes = receive(), !bytes.isEmpty else { return }
                    pending += bytes
                    while let end = pending.firstIndex(of: 0x0A) {
                        let line = Array(pending[...end])
                        pending.removeSubrange(...end)
                        guard pass(request: line, to: daemon) else { return }
                    }
                }
                while daemon.isReadable {
                    guard let line = try? daemon.line(), pass(answer: line) else { return }
                }
            }
        }

        private mutating func pass(request line: [UInt8], to daemon: LineClient) -> Bool {
            guard String(decoding: line, as: UTF8.self).contains(method) else {
                return (try? daemon.send(bytes: line)) != nil
            }
            let cut = plan.state.withLock { state in
                state.lengths.request = line.count
                state.cuts += state.cut == nil ? 0 : 1
                defer { state.cut = nil }
                return state.cut
            }
            switch cut {
            case .request(let count):
                try? daemon.send(bytes: line.prefix(count))
                return false
            case .answer(let count): answerCut = count
            case nil: break
            }
            awaitsAnswer = true
            return (try? daemon.send(bytes: line)) != nil
        }

        private mutating func pass(answer line: String) -> Bool {
            let bytes = Array(line.utf8) + [0x0A]
            guard awaitsAnswer, line.contains("\"result\":") else { return send(bytes) }
            awaitsAnswer = false
            plan.state.withLock { $0.lengths.answer = bytes.count }
            guard let answerCut else { return send(bytes) }
            _ = send(Array(bytes.prefix(answerCut)))
            return false
        }

        private func receive() -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe recv(client, &buffer, buffer.count, 0)
            return count < 0 ? nil : Array(buffer.prefix(count))
        }

        private func send(_ bytes: [UInt8]) -> Bool {
            unsafe Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
    }
}
