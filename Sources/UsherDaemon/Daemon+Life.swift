// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherCore
package import UsherEventLoop
import UsherStore
import UsherWire

// Beginning, reloading and ending; each step is announced before and after it happens.
extension Daemon {
    /// Opens a store; if that fails, the socket that was made before goes again.
    static func open(
        _ store: any ChangeLog, behind sockets: borrowing ListeningSockets
    ) throws(StartError) -> StoredState {
        do {
            return try store.open()
        } catch {
            sockets.remove()
            throw StartError(error.message, status: error.exitCode)
        }
    }

    /// Serves until it is told to stop.
    package func run() throws(LoopError) {
        try begin()
        loop.run()
        end()
    }

    /// Opens the doors; connections are served as the loop turns.
    package func begin() throws(LoopError) {
        announce(.create, .will)
        announce(.create, .did)
        announce(.start, .will)
        signals = try Signals(on: loop, daemon: self)
        for descriptor in sockets.takeDescriptors() {
            listeners.append(
                try Listener(on: loop, descriptor: descriptor) { [unowned self] connection in
                    accept(connection)
                })
        }
        announce(.start, .did)
        log.notice("serving on \(sockets.places.joined(separator: " and "))")
        if let path = sockets.places.first, !log.hasJournal {
            log.info("try: echo user.fetch | socat -t 5 - UNIX-CONNECT:\(path)")
            log.info("try: usherctl --socket \(path) watch")
        }
        service.begin(self)
    }

    /// Closes everything, after the loop was stopped.
    package func end() {
        service.end()
        store.close()
        let services = retired + [upstreams]
        let isQuiet = services.allSatisfy { $0.isQuiet }
        for service in services { service.close() }
        // Closing a loop waits for its thread pool, and a name service may hang there for minutes.
        if isQuiet { loop.close() }
        log.flush()
        log.notice("stopped")
    }

    func announce(_ step: EngineEvent.Step, _ phase: EngineEvent.Phase, reason: String? = nil) {
        handle(.engine(EngineEvent(step: step, phase: phase, reason: reason)))
    }

    // MARK: Ending

    /// What is going on between the word to stop and the end.
    struct Stopping: ~Copyable {
        fileprivate let grace: Timer
        /// When the time for answers and for flushing is over.
        fileprivate let deadline: UInt64
        /// Answers in flight had their time; connections are being closed.
        fileprivate var isClosing = false
    }

    /// Stops in order: no new connections or requests, answers in flight get their grace, all is flushed and stored.
    ///
    /// A second call stops at once.
    package func stop(reason: String) {
        guard stopping == nil else {
            log.notice("stopping at once: \(reason)")
            for session in sessions.values { session.connection.close() }
            finish()
            return
        }
        log.notice("stopping: \(reason)")
        service.notifier.stopping("Stopping: \(reason)")
        let grace = Timer(on: loop) { [unowned self] in closeConnections() }
        let milliseconds = UInt64(limits.shutdownGraceMilliseconds)
        grace.start(afterMilliseconds: milliseconds)
        stopping = Stopping(grace: grace, deadline: loop.now + milliseconds)
        announce(.stop, .will, reason: reason)
        sockets.remove()
        for listener in listeners { listener.close() }
        loop.atEndOfTurn { [unowned self] in goOnStopping() }
    }

    /// Takes the next step towards the end, if it is time.
    func goOnStopping() {
        guard let isClosing = stopping?.isClosing else { return }
        if !isClosing {
            if !hasRequestsInFlight, !sessions.values.contains(where: \.hasUnansweredLines) {
                closeConnections()
            }
        } else if sessions.isEmpty {
            finish()
        }
    }

    /// What is left of the grace for peers to take their last lines, and at least this, in milliseconds.
    private static let lastFlushMilliseconds: UInt64 = 250

    private func closeConnections() {
        guard let deadline = stopping?.deadline, stopping?.isClosing == false else { return }
        stopping?.isClosing = true
        let time = max(deadline - min(loop.now, deadline), Self.lastFlushMilliseconds)
        for session in sessions.values {
            session.abandonRequests(
                WireError(.shuttingDown, "the daemon stopped before this was done"))
            session.connection.closeAfterFlush(withinMilliseconds: time, lingers: false)
        }
        if sessions.isEmpty { finish() }
    }

    private func finish() {
        for connection in refused.values { connection.close() }
        patience.end()
        stopping = nil
        listeners = []
        signals = nil
        loop.stop()
    }
}

/// The signals that a daemon lives by.
struct Signals: ~Copyable {
    private let terminate: SignalWatcher
    private let interrupt: SignalWatcher
    private let hangUp: SignalWatcher
    private let report: SignalWatcher

    init(on loop: EventLoop, daemon: Daemon) throws(LoopError) {
        let terminate = try SignalWatcher(on: loop, signal: SIGTERM) { [unowned daemon] in
            daemon.stop(reason: "SIGTERM")
        }
        let interrupt = try SignalWatcher(on: loop, signal: SIGINT) { [unowned daemon] in
            daemon.stop(reason: "SIGINT")
        }
        let hangUp = try SignalWatcher(on: loop, signal: SIGHUP) { [unowned daemon] in
            daemon.reload()
        }
        let report = try SignalWatcher(on: loop, signal: SIGUSR1) { [unowned daemon] in
            daemon.logState()
        }
        self.terminate = terminate
        self.interrupt = interrupt
        self.hangUp = hangUp
        self.report = report
        Self.unblock()
    }

    /// Lets the signals through, which a parent may have blocked; the mask is inherited.
    private static func unblock() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] { unsafe sigaddset(&signals, signal) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
