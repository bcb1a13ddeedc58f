// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Accepts connections.
package final class Listener {
    package private(set) var refusals = 0

    /// How many connections are accepted before other events get their turn, as in the real one.
    static let batch = 16

    private let loop: EventLoop
    private var onConnection: ((Connection) -> Void)?

    package init(
        on loop: EventLoop, descriptor: Int32, backlog: Int32 = 511,
        onConnection: @escaping (Connection) -> Void
    ) throws(LoopError) {
        self.loop = loop
        self.onConnection = onConnection
        loop.listeners.append(self)
    }

    package func close() {
        loop.listeners.removeAll { $0 === self }
        onConnection = nil
        if loop.listeners.isEmpty {
            for socket in loop.backlog { socket.abandon() }
            loop.backlog = []
        }
    }

    func accept() {
        for _ in 0..<Self.batch where !loop.backlog.isEmpty {
            let connection = Connection(on: loop, loop.backlog.removeFirst())
            onConnection?(connection)
        }
    }
}
