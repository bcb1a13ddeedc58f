// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Peers that leave the daemon waiting. A peer is watched from the moment that its socket did not take all that was
// written, or that it began a line, until that is over. While any is watched, all that are get looked at a few times
// within the shortest limit; while none is, there is no timer and the daemon sleeps.

import UsherEventLoop
import UsherWire

/// Waits for peers, each as long as the limits say.
final class Patience {
    /// How often within the shortest limit the watched are looked at: a limit may be passed by a quarter of it.
    private static let looksPerLimit = 4

    private unowned let daemon: Daemon
    private var watched: [Session] = []
    private var timer: Timer?

    init(of daemon: Daemon) {
        self.daemon = daemon
    }

    private var interval: UInt64 {
        let limits = daemon.limits
        let shortest = min(
            limits.stallMilliseconds, limits.stallWhenFullMilliseconds,
            limits.partialLineMilliseconds)
        return UInt64(max(1, shortest / Self.looksPerLimit))
    }

    /// Watches a connection until nothing is waited for.
    func watch(_ session: Session) {
        guard !session.wait.isWatched else { return }
        session.wait.isWatched = true
        _ = session.isAwaited(at: daemon.loop.now)
        watched.append(session)
        guard watched.count == 1 else { return }
        let timer = Timer(on: daemon.loop) { [unowned self] in look() }
        timer.start(afterMilliseconds: interval, repeatingMilliseconds: interval)
        self.timer = consume timer
    }

    /// The connection, of one uid or of all, that has taken nothing for the longest time and long enough to lose its
    /// place.
    func longestStalled(of uid: UInt32?) -> Session? {
        let now = daemon.loop.now
        var longest: Session?
        var earliest = now - min(UInt64(daemon.limits.stallWhenFullMilliseconds), now)
        for session in watched where uid == nil || session.credentials.uid == uid {
            guard session.holdsPlace, let since = session.wait.stalledSince, since <= earliest,
                // It may have read since it was looked at last.
                session.isAwaited(at: now), session.wait.stalledSince == since
            else { continue }
            longest = session
            earliest = since
        }
        return longest
    }

    /// Lets go of all; nobody is waited for any more.
    func end() {
        watched = []
        timer = nil
    }

    private func look() {
        let now = daemon.loop.now
        watched.removeAll { session in
            guard session.isAwaited(at: now) else {
                session.wait.isWatched = false
                return true
            }
            guard let reason = overdue(session, now) else { return false }
            daemon.evict(session, reason)
            return true
        }
        if watched.isEmpty { timer = nil }
    }

    private func overdue(_ session: Session, _ now: UInt64) -> Eviction.Reason? {
        let limits = daemon.limits
        if let since = session.wait.stalledSince,
            now - since >= UInt64(limits.stallMilliseconds)
        {
            return .stalled
        }
        if let line = session.wait.line,
            now - line.since >= UInt64(limits.partialLineMilliseconds)
        {
            return .partialLine
        }
        return nil
    }
}

/// What is waited for on one connection, and since when.
struct Wait {
    /// Whether ``Patience`` has the connection among those that it looks at.
    var isWatched = false
    /// The line that was begun, by the number of lines before it.
    var line: (number: Int, since: UInt64)?
    /// How far the peer had come when it was looked at, and since when it has come no further.
    fileprivate var output: (progress: OutputProgress, since: UInt64)?

    /// Since when the peer has taken nothing of what it is owed.
    var stalledSince: UInt64? { output?.since }
}

extension Session {
    /// Looks how far the peer has come, and whether anything is waited for.
    func isAwaited(at now: UInt64) -> Bool {
        guard connection.descriptor >= 0 else { return false }
        guard connection.unsentBytes > 0 else {
            wait.output = nil
            return wait.line != nil
        }
        let progress = connection.outputProgress
        if let last = wait.output, !progress.isAhead(of: last.progress) { return true }
        wait.output = (progress, now)
        return true
    }

    /// Notes whether a line was begun whose rest is the peer's to send.
    func noteLine(isBegun: Bool) {
        guard isBegun else {
            wait.line = nil
            return
        }
        if wait.line?.number == lineNumber { return }
        wait.line = (lineNumber, daemon.loop.now)
        daemon.patience.watch(self)
    }
}
