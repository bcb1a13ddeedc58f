// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherDaemon
import UsherEventLoop
import UsherWire

// The life of the process, and its ends.
extension World {
    /// How long a daemon that was told to stop may take.
    private static let stopMilliseconds: UInt64 = 5_000
    /// How long a daemon that was told to stop waits for peers that do not read.
    private static let graceMilliseconds: UInt64 = 2_000
    /// The most that one connection may have unsent in the process.
    private static let unsentBytes = 1 << 20

    func start() throws {
        trace.note("world", "starts the daemon")
        let loop = try EventLoop()
        loop.choose = { [chance] in chance.below($0) }
        let store = SimulatedStore(disk, trace)
        var parts = Parts()
        parts.store = { _ in store }
        parts.users = { [services] _, _, _ in SimulatedUsers(services) }
        parts.movies = { [services] _, _, _ in SimulatedMovies(services) }
        parts.random = chance
        let daemon = try Daemon(
            configuration, from: source, in: ServiceEnvironment.take(from: [:]), of: parts,
            on: loop,
            log: Log { [log] _, record in log.take(record) })
        try daemon.begin()
        process = Process(daemon: daemon, loop: loop, store: store)
        isStopping = false
        toldToStopAt = nil
        wasToldTwice = false
        partialWrites = 0
    }

    /// Turns the loop once, and looks whether the process is still there.
    func turn() throws {
        guard let process else { return }
        trace.note("loop", "turns")
        process.loop.turn()
        for _ in partialWrites..<process.loop.partialWrites { trace.count(.partialWrite) }
        partialWrites = process.loop.partialWrites
        if let complaint = services.complaint { throw Violation(complaint) }
        try Violation.require(
            process.loop.mostUnsentBytes <= Self.unsentBytes, "I10: too much waits for one peer")
        if process.loop.isDead {
            try bury()
        } else if process.loop.isStopped {
            try finish(process)
        }
    }

    // MARK: Ends

    /// Kills the process, between two turns or within one.
    func kill() throws {
        guard let process else { return }
        if chance.percent(40) {
            trace.count(.killedBetweenTurns)
            return try bury()
        }
        process.loop.remainingLife = chance.below(9)
        for _ in 0..<20 where self.process != nil {
            if chance.percent(50) { try visit(chance.pick(peers)) }
            if chance.percent(50) { process.store.work(all: chance.percent(50)) }
            try turn()
            if self.process == nil { trace.count(.killedWithinTurn) }
        }
        process.loop.remainingLife = nil
    }

    /// The process is no more: what it held is closed, what it had in memory is gone.
    private func bury() throws {
        guard let process else { return }
        trace.note("world", "the daemon is killed")
        for peer in peers { peer.answeredThrough = nil }
        process.loop.kill()
        if process.store.hasQueued { trace.count(.queuedLost) }
        self.process = nil
        try readLastWords()
        disk.crash(chance, trace)
        services.forget()
        model.restart()
        loseStateMaybe()
    }

    func tellToStop() throws {
        guard let process else { return }
        if let toldToStopAt {
            guard !wasToldTwice, now > toldToStopAt else { return }
            trace.count(.stoppedTwice)
            wasToldTwice = true
            for peer in peers { peer.answeredThrough = nil }
        } else {
            trace.count(.stopped)
            if peers.contains(where: { !$0.deferred.isEmpty }) {
                trace.count(.stoppedWithRequestsInFlight)
            }
            // If somebody asked for it before, this may be the second word.
            for peer in peers where !isStopping {
                peer.answeredThrough = peer.socket.map {
                    (bytes: $0.readBytes, until: now + Self.graceMilliseconds)
                }
            }
            expectStop()
            toldToStopAt = now
        }
        process.loop.deliver(signal: SIGTERM)
    }

    /// From now on the daemon may stop, and need not answer everything.
    func expectStop() {
        isStopping = true
        for peer in peers { peer.mayBeCut = true }
    }

    private func finish(_ process: Process) throws {
        trace.note("world", "the daemon stopped")
        if let toldToStopAt {
            try Violation.require(
                now - toldToStopAt <= Self.stopMilliseconds, "I16: stopping took too long")
        } else {
            trace.count(.stoppedByRequest)
        }
        process.daemon.end()
        process.loop.kill()
        self.process = nil
        try readLastWords()
        services.forget()
        model.restart()
        loseStateMaybe()
    }

    /// Every peer reads what the kernel still has for it.
    private func readLastWords() throws {
        for peer in peers {
            peer.mayBeCut = true
            try peer.read()
            peer.disconnect()
        }
    }

    private func loseStateMaybe() {
        guard chance.percent(habits.losing) else { return }
        trace.count(.stateLost)
        let epoch = Epoch(value: chance.next())
        disk.lose(newEpoch: epoch)
        model.loseAll(newEpoch: epoch)
    }

    func reload() {
        guard let process, toldToStopAt == nil else { return }
        trace.count(.reloaded)
        if !services.questions.isEmpty { trace.count(.reloadedWithFetchInFlight) }
        services.age()
        process.loop.deliver(signal: SIGHUP)
    }
}
