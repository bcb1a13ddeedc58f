// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The end of a turn. libuv runs timers, then what is ready, then close callbacks, and calls its
// prepare hook just before it sleeps again: there, whatever the turn's callbacks appended to
// connections is sent, one write each.

internal import CUsherUV

/// What is to be done before the loop sleeps.
@safe
final class Turn {
    var bodies: [() -> Void] = []
    /// How many turns have ended: a loop that spins shows here.
    private(set) var count = 0
    private var runningBodies: [() -> Void] = []
    /// Connections with output to send, each once.
    private var dirty: [Connection] = []
    private let loop: UnsafeMutablePointer<uv_loop_t>
    private var prepare: UnsafeMutablePointer<uv_prepare_t>?
    /// Runs only when work was left at the end of a turn, to keep the loop from sleeping.
    private var idle: UnsafeMutablePointer<uv_idle_t>?

    /// Hooks into the loop; neither call can fail.
    init(on loop: UnsafeMutablePointer<uv_loop_t>) {
        unsafe self.loop = loop
        let prepare = unsafe allocate(uv_prepare_t.self, context: self)
        let idle = unsafe allocate(uv_idle_t.self, context: self)
        unsafe uv_prepare_init(loop, prepare)
        unsafe uv_idle_init(loop, idle)
        unsafe uv_prepare_start(prepare) { handle in
            unsafe withContext(handle?.pointee.data, as: Turn.self) { $0.end() }
        }
        unsafe self.prepare = prepare
        unsafe self.idle = idle
    }

    func schedule(_ connection: Connection) {
        dirty.append(connection)
    }

    /// Runs the registered bodies, then flushes.
    func end() {
        count &+= 1
        if !bodies.isEmpty {
            swap(&bodies, &runningBodies)
            for body in runningBodies { body() }
            runningBodies.removeAll(keepingCapacity: true)
        }
        // By index: flushing can make a callback that writes to another connection.
        var index = 0
        while index < dirty.count {
            dirty[index].flush()
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
        guard let idle = unsafe idle else { return }
        if bodies.isEmpty {
            unsafe uv_idle_stop(idle)
        } else {
            unsafe uv_idle_start(idle) { _ in }
        }
    }

    func close() {
        if let prepare = unsafe prepare { unsafe closeHandle(prepare) }
        if let idle = unsafe idle { unsafe closeHandle(idle) }
        unsafe prepare = nil
        unsafe idle = nil
    }
}
