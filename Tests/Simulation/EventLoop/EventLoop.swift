// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The loop of the simulation: the same interface as the real one, without libuv, threads, sockets or time.
//
// The daemon is linked with this module in place of the real one, so that its own code runs unchanged, and a change of
// the interface that is not made here does not compile. The walk that drives it turns it, sets the clock, holds the
// other ends of the connections, chooses which of several ready things comes first, and can end the process between
// any two of them.

/// An event loop that is turned by hand.
package final class EventLoop {
    package let inbox = Inbox()
    /// Which of so many ready things comes first.
    package var choose: (Int) -> Int = { _ in 0 }
    /// How many things may still happen before the process is killed; nil while it is to live.
    package var remainingLife: Int?
    /// Whether the process was killed: nothing happens in this loop any more.
    package private(set) var isDead = false
    /// Whether `stop()` was called.
    package private(set) var isStopped = false
    /// How many turns there were.
    package private(set) var turns = 0
    /// The most bytes that one connection had unsent.
    package private(set) var mostUnsentBytes = 0
    /// How many writes found no room for all they had.
    package internal(set) var partialWrites = 0
    /// Connections that the kernel made and nobody accepted yet.
    var backlog: [PeerSocket] = []

    let outputPool = OutputPool()
    var timers: [TimerState] = []
    var connections: [Connection] = []
    var listeners: [Listener] = []
    var watchers: [(signal: Int32, id: Int, body: () -> Void)] = []
    var finishedWork: [() -> Void] = []
    private var signals: [Int32] = []
    private var bodies: [() -> Void] = []
    private var dirty: [Connection] = []
    private var closing: [Connection] = []
    private var lastID = 0
    private var time = Kernel.now

    package init() throws(LoopError) {}

    package var isCurrent: Bool { !Kernel.isElsewhere }

    package var now: UInt64 { time }

    /// Nothing is waited for here.
    package var busyPollMicroseconds: UInt64 = 0

    package static func monotonicNanoseconds() -> UInt64 { Kernel.now * 1_000_000 }

    /// Nothing takes time here.
    package func takeLongestTurn() -> UInt64 { 0 }

    /// Turns until `stop()`, or until nothing can happen without somebody else.
    package func run() {
        while !isStopped, hasWork || nextTimer != nil {
            if !hasWork, let nextTimer { Kernel.now = nextTimer }
            turn()
        }
    }

    package func stop() { isStopped = true }

    package func atEndOfTurn(_ body: @escaping () -> Void) { bodies.append(body) }

    package func close() {
        precondition(connections.isEmpty && timers.isEmpty, "a loop is closed without open handles")
        inbox.close()
    }

    func assertCurrent() { precondition(isCurrent, "used on a thread that is not the loop's") }

    func makeID() -> Int {
        lastID += 1
        return lastID
    }

    // MARK: What the walk does

    /// Delivers a signal.
    package func deliver(signal: Int32) { signals.append(signal) }

    /// Connects a peer; false if nobody listens.
    package func connect(_ socket: PeerSocket) -> Bool {
        guard !listeners.isEmpty, !isDead else { return false }
        backlog.append(socket)
        return true
    }

    /// When the next timer is due.
    package var nextTimer: UInt64? { timers.map(\.due).min() }

    /// Whether a turn now would do anything.
    package var hasWork: Bool {
        !ready.isEmpty || !closing.isEmpty || !bodies.isEmpty || !dirty.isEmpty
            || timers.contains { $0.due <= Kernel.now }
    }

    /// Ends the process: what it held open is closed by the kernel, and no code of it runs any more.
    package func kill() {
        isDead = true
        inbox.close()
        for connection in connections { connection.socket.abandon() }
        for socket in backlog { socket.abandon() }
        for connection in connections + closing { connection.forget() }
        connections = []
        closing = []
        dirty = []
        bodies = []
        timers = []
        listeners = []
        watchers = []
        finishedWork = []
        backlog = []
    }

    /// One turn in libuv's order: what is ready, close callbacks, timers, the bodies of the end, and then output.
    package func turn() {
        guard !isDead else { return }
        turns += 1
        time = Kernel.now
        var events = ready
        while !events.isEmpty, live() {
            let event = events.remove(at: choose(events.count))
            dispatch(event)
        }
        runClosings()
        runTimers()
        end()
    }

    /// Counts a moment of the process's life; false once that is over.
    private func live() -> Bool {
        if isDead { return false }
        guard let left = remainingLife else { return true }
        remainingLife = left - 1
        guard left <= 0 else { return true }
        isDead = true
        return false
    }

    // MARK: A turn

    private enum ReadyEvent {
        case signal, jobs, work
        case knock(Listener)
        case input(Connection), output(Connection), hangUp(Connection)
    }

    private var ready: [ReadyEvent] {
        var ready: [ReadyEvent] = []
        if !signals.isEmpty { ready.append(.signal) }
        if inbox.hasJobs { ready.append(.jobs) }
        if !finishedWork.isEmpty { ready.append(.work) }
        if !backlog.isEmpty, let first = listeners.first { ready.append(.knock(first)) }
        for connection in connections {
            if connection.isReadable { ready.append(.input(connection)) }
            if connection.isWritable { ready.append(.output(connection)) }
            if connection.isHungUp { ready.append(.hangUp(connection)) }
        }
        return ready
    }

    private func dispatch(_ event: ReadyEvent) {
        switch event {
        case .signal:
            let delivered = signals
            signals = []
            for signal in delivered {
                for watcher in watchers where watcher.signal == signal { watcher.body() }
            }
        case .jobs: inbox.runWaitingJobs()
        case .work:
            let finished = finishedWork
            finishedWork = []
            for then in finished { then() }
        case .knock(let listener): listener.accept()
        case .input(let connection): if connection.isReadable { connection.receive() }
        case .output(let connection): if connection.isWritable { connection.resumeSending() }
        case .hangUp(let connection): if connection.isHungUp { connection.close(.hangUp) }
        }
    }

    private func runClosings() {
        while !closing.isEmpty, live() { closing.removeFirst().closed() }
    }

    private func runTimers() {
        let due = timers.filter { $0.due <= time }.sorted { ($0.due, $0.id) < ($1.due, $1.id) }
        for timer in due where timer.isActive && live() { timer.fire() }
    }

    private func end() {
        let running = bodies
        bodies = []
        for body in running where live() { body() }
        var index = 0
        while index < dirty.count, live() {
            mostUnsentBytes = max(mostUnsentBytes, dirty[index].unsentBytes)
            dirty[index].flush()
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
    }

    func scheduleFlush(_ connection: Connection) { dirty.append(connection) }

    func scheduleClose(_ connection: Connection) {
        connections.removeAll { $0 === connection }
        closing.append(connection)
    }
}
