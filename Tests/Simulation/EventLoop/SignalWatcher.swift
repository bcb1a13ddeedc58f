// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Calls back on the loop for each delivery of a signal, until it is dropped.
package struct SignalWatcher: ~Copyable {
    private let loop: EventLoop
    private let id: Int

    package init(on loop: EventLoop, signal: Int32, _ body: @escaping () -> Void) throws(LoopError)
    {
        self.loop = loop
        id = loop.makeID()
        loop.watchers.append((signal, id, body))
    }

    deinit {
        let id = id
        loop.watchers.removeAll { $0.id == id }
    }
}
