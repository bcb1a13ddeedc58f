// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The end of a turn. libuv runs timers, then what is ready, then close callbacks, and calls its
// prepare hook just before it sleeps again: there, whatever the turn's callbacks appended to
// connections is sent, one write each.

internal import CUsherUV
internal import Glibc

/// What is to be done before the loop sleeps.
@safe
final class Turn {
    var bodies: [() -> Void] = []
    /// How many turns have ended: a loop that spins shows here.
    private(set) var count = 0
    /// Milliseconds of the longest turn since somebody looked.
    var longest: UInt64 = 0
    var busyPoll = BusyPoll()
    /// When this turn's work came, in nanoseconds; nil as long as none did.
    private var workCameAt: UInt64?
    /// When the loop last woke: `uv_now`, which libuv sets as it stops sleeping.
    private var wokeAt: UInt64
    private var runningBodies: [() -> Void] = []
    /// Connections with output to send, each once.
    private var dirty: [Connection] = []
    private let loop: UnsafeMutablePointer<uv_loop_t>
    private var prepare: UnsafeMutablePointer<uv_prepare_t>?
    private var check: UnsafeMutablePointer<uv_check_t>?
    /// Runs only to keep the loop from sleeping.
    private var idle: UnsafeMutablePointer<uv_idle_t>?

    /// Hooks into the loop; none of the calls can fail.
    init(on loop: UnsafeMutablePointer<uv_loop_t>) {
        unsafe self.loop = loop
        wokeAt = unsafe uv_now(loop)
        let check = unsafe allocate(uv_check_t.self, context: self)
        unsafe uv_check_init(loop, check)
        unsafe uv_check_start(check) { handle in
            unsafe withContext(handle?.pointee.data, as: Turn.self) { $0.woke() }
        }
        unsafe self.check = check
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

    /// Called when a peer's socket is ready, before that is dealt with.
    func workCame() {
        if workCameAt == nil { workCameAt = EventLoop.monotonicNanoseconds() }
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
        let now = EventLoop.monotonicNanoseconds()
        measure(until: now)
        if let workCameAt { busyPoll.worked(from: workCameAt, to: now) }
        prepareToWait(at: now, hadWork: workCameAt != nil)
        workCameAt = nil
    }

    /// Decides whether the loop sleeps until something comes.
    private func prepareToWait(at now: UInt64, hadWork: Bool) {
        guard let idle = unsafe idle else { return }
        let polls = bodies.isEmpty && busyPoll.polls(at: now)
        if polls || !bodies.isEmpty {
            unsafe uv_idle_start(idle) { _ in }
        } else {
            unsafe uv_idle_stop(idle)
        }
        // Who is waited for may need this very processor. Not before a first look, which often finds what came meanwhile.
        if polls, !hadWork { sched_yield() }
    }

    /// Called after the callbacks of what the loop woke for, with the time of waking not yet renewed.
    func woke() {
        wokeAt = unsafe uv_now(loop)
    }

    private func measure(until now: UInt64) {
        let now = now / 1_000_000
        longest = max(longest, now &- min(wokeAt, now))
    }

    func close() {
        if let check = unsafe check { unsafe closeHandle(check) }
        unsafe check = nil
        if let prepare = unsafe prepare { unsafe closeHandle(prepare) }
        if let idle = unsafe idle { unsafe closeHandle(idle) }
        unsafe prepare = nil
        unsafe idle = nil
    }
}
