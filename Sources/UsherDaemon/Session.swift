// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherWire

/// One connection: its lines in, its answers and pushes out, in the order that the protocol promises.
///
/// Requests are started in the order they came. A request waits, and with it all behind it, while the peer leaves too
/// much unread, while a change of this connection is not yet durable (so that it sees its own changes), and, if it was
/// typed, while an earlier one is unanswered (so that typed lines run one after another, as in a shell).
final class Session {
    let id: SessionID
    let connection: Connection
    let credentials: PeerCredentials
    /// What the peer may do; decided anew when the daemon reloads.
    var peer: Peer
    /// Strong, since it is used all the time; the daemon lets go of the session when the connection has closed.
    let daemon: Daemon
    /// Whether it counts among the connections that take the places.
    var holdsPlace = true
    /// What the daemon waits for.
    var wait = Wait()
    /// Whether the log has a record of a request that the peer had no right to.
    var hasLoggedRefusal = false

    /// Who the client says it is.
    var client = Call.Hello()
    /// By name; few enough to be searched one by one.
    var subscriptions: [Subscription] = []
    /// The requests that are started and not answered, in order.
    private(set) var inFlight: [PendingRequest] = []
    /// How many of them wait for the store.
    private var changesInFlight = 0
    /// Barriers that wait until the peer has taken what it is owed.
    var barriers: [(id: RequestID, place: Batch.Place?)] = []

    /// What answers a read of the peer's own user, as it was when that was asked for last.
    private var ownAnswer = UserResults.KnownAnswer()
    /// What such a read looked like when it came last.
    private var knownRead = KnownUserRead()
    /// Whether the last request was such a read; others need not be looked at twice.
    private var expectsUserRead = true
    private var framer = LineFramer()
    private(set) var lineNumber = 0
    /// Read and not started, the first one at ``firstWaiting``.
    private(set) var waiting: [Request] = []
    var firstWaiting = 0
    private var hasEnded = false
    private var isPumping = false
    private var isPumpScheduled = false
    /// Whether nothing is read for the time being.
    private var isHeldBack = false
    /// Whether a subscriber is owed something that the socket had no room for.
    var isBehind = false
    /// Whether the peer was told last that the store cannot be written.
    var knowsDegraded = false
    /// The batch whose answer is to come before the pushes that it causes.
    private var batch: Batch?
    /// The batches that are not answered yet.
    private var openBatches: [Batch] = []

    init(
        id: SessionID, _ connection: Connection, _ credentials: PeerCredentials, _ peer: Peer,
        daemon: Daemon
    ) {
        self.id = id
        self.connection = connection
        self.credentials = credentials
        self.peer = peer
        self.daemon = daemon
        // Until it closes, the connection keeps the session: it drops its callbacks then.
        connection.onRead = { [self] bytes in
            framer.append(bytes)
            pump()
        }
        connection.onEnd = { [self] in
            hasEnded = true
            pump()
        }
        connection.onDrain = { [self] in
            pushDue()
            pump()
            daemon.goOnStopping()
        }
        connection.onBacklog = { [self] in daemon.patience.watch(self) }
        connection.lowWater = daemon.lowWater
        connection.startReading()
    }

    /// How many requests that wait for a service are in flight.
    var deferredCount: Int { inFlight.count - changesInFlight }

    /// Whether an answer waits for the store, behind which others have to queue.
    var awaitsStore: Bool { changesInFlight > 0 }

    /// Whether the peer leaves so much unread that nothing more is done for it.
    var isClogged: Bool { connection.unsentBytes > daemon.limits.unsentBytes }

    /// Whether lines were read and not looked at, because others had their turn or the peer has to read first.
    var hasUnansweredLines: Bool {
        isHeldBack && (firstWaiting < waiting.count || framer.hasPartialLine)
    }

    /// Changes of one connection that may be on their way to the store; what follows them waits.
    ///
    /// Enough for one commit to serve many, and few enough that their answers, which come all at once, are no burden.
    private static let changesAtOnce = 256

    // MARK: Requests in

    /// Starts what can be started, at most so many lines a turn that the other connections get theirs.
    func pump() {
        guard !isPumping, connection.isOpen else { return }
        isPumping = true
        var lines = 0
        let share = daemon.linesPerTurn
        while connection.isOpen {
            if firstWaiting < waiting.count {
                let request = waiting[firstWaiting]
                guard canStart(request), begin(request.place) else { break }
                firstWaiting += 1
                daemon.start(request, of: self)
                release(request.place?.batch)
            } else if lines >= share {
                pumpNextTurn()
                break
            } else {
                waiting.removeAll(keepingCapacity: true)
                firstWaiting = 0
                if expectsUserRead { lines += answerUserReads(atMost: share - lines) }
                guard !isClogged, let bound = nextLine() else { break }
                lines += 1
                take(bound)
            }
        }
        isPumping = false
        settle()
    }

    /// Answers the reads of the peer's own user that are next, at most so many, and says how many there were.
    private func answerUserReads(atMost share: Int) -> Int {
        // What is under way may have to come first, or have the id of one of these.
        guard inFlight.isEmpty, barriers.isEmpty, openBatches.isEmpty, daemon.stopping == nil
        else { return 0 }
        var count = 0
        var room = daemon.limits.unsentBytes - connection.unsentBytes
        framer.cut { line in
            guard count < share, room >= 0, let read = knownRead.recognise(line) else {
                return false
            }
            let tail = daemon.userAnswer(peer.ownUser, lastKnown: &ownAnswer)
            read.answer(with: tail, in: line, to: &connection.output)
            room -= tail.count + read.id.count
            count += 1
            return true
        }
        lineNumber += count
        daemon.statistics.requests += count
        expectsUserRead = count > 0
        return count
    }

    private func nextLine() -> RequestBinder.Bound? {
        if let item = framer.next() {
            lineNumber += 1
            switch item {
            case .tooLong:
                return .one(Request.tooLong)
            case .line(let range):
                return daemon.binder.bind(
                    framer.buffer, range, number: lineNumber, isWhole: true)
            }
        }
        guard hasEnded, let range = framer.finish() else { return nil }
        lineNumber += 1
        return daemon.binder.bind(framer.buffer, range, number: lineNumber, isWhole: false)
    }

    private func take(_ bound: RequestBinder.Bound) {
        switch bound {
        case .nothing: break
        case .one(let request):
            expectsUserRead = request.isUserRead
            if canStart(request) {
                daemon.start(request, of: self)
            } else {
                waiting.append(request.kept)
            }
        case .several(let requests):
            waiting += requests
        case .batch(let requests):
            let batch = Batch(count: requests.count)
            waiting += requests.enumerated().map { index, request in
                var request = request.kept
                request.place = Batch.Place(batch: batch, index: index)
                return request
            }
            openBatches.append(batch)
        case .foreign(let request):
            daemon.start(request, of: self)
            connection.closeAfterFlush()
        }
    }

    private func canStart(_ request: Request) -> Bool {
        if isClogged { return false }
        if request.isTyped, !inFlight.isEmpty || !barriers.isEmpty { return false }
        guard awaitsStore else { return true }
        // Changes may follow each other closely, so that one commit can serve many.
        guard changesInFlight < Self.changesAtOnce else { return false }
        guard case .success(let valid) = request.outcome, case .userRename = valid.call else {
            return false
        }
        return true
    }

    /// Has a batch hold the pushes that it causes, once all that the peer is owed before is sent; false till then.
    private func begin(_ place: Batch.Place?) -> Bool {
        guard let place, place.index == 0 else { return true }
        pushDue()
        guard !isBehind else { return false }
        batch = place.batch
        return true
    }

    /// Has a batch hold no pushes if it waits for a service, which may take long.
    private func release(_ batch: Batch?) {
        guard let batch, !batch.waitsForService else { return }
        batch.waitsForService = inFlight.contains { request in
            request.waitsForService && request.place?.batch === batch
        }
        if batch.waitsForService { pushDue() }
    }

    private func pumpNextTurn() {
        guard !isPumpScheduled else { return }
        isPumpScheduled = true
        daemon.waitingForTurn += 1
        daemon.loop.atEndOfTurn { [self] in
            daemon.waitingForTurn -= 1
            isPumpScheduled = false
            pump()
            daemon.goOnStopping()
        }
    }

    /// Reads on, or not; closes when the peer wants nothing more.
    private func settle() {
        guard connection.isOpen else { return }
        let isBusy = firstWaiting < waiting.count || isPumpScheduled || isClogged
        isHeldBack = isBusy
        if isBusy { connection.stopReading() } else { connection.startReading() }
        noteLine(isBegun: framer.hasPartialLine && !isBusy && !hasEnded)
        let isDone =
            hasEnded && !isBusy && inFlight.isEmpty && barriers.isEmpty && subscriptions.isEmpty
        // A peer that reads slowly may have all the time that one which still asks would have.
        if isDone { connection.closeAfterFlush(withinMilliseconds: nil) }
    }

    // MARK: Answers out

    /// Notes that a request is answered later.
    func postpone(_ request: PendingRequest) {
        inFlight.append(request)
        if !request.waitsForService { changesInFlight += 1 }
    }

    /// Whether a request of this id is in flight.
    func isInFlight(_ id: RequestID) -> Bool {
        if inFlight.isEmpty, barriers.isEmpty, openBatches.isEmpty { return false }
        guard case .json = id else { return false }
        return inFlight.contains { $0.id == id } || barriers.contains { $0.id == id }
            || openBatches.contains { $0.ids.contains(id) }
    }

    /// A late answer is there; those of changes keep their order.
    func answer(_ request: PendingRequest, _ result: Result<Reply, WireError>) {
        guard request.waitsForService || request === firstChange else {
            request.early = result
            return
        }
        write(request, result)
        while let next = firstChange, let early = next.early { write(next, early) }
    }

    private var firstChange: PendingRequest? {
        changesInFlight > 0 ? inFlight.first { !$0.waitsForService } : nil
    }

    private func write(_ request: PendingRequest, _ result: Result<Reply, WireError>) {
        guard let index = inFlight.firstIndex(where: { $0 === request }) else { return }
        inFlight.remove(at: index)
        if !request.waitsForService { changesInFlight -= 1 }
        daemon.answer(self, request.id, request.place, result)
        daemon.resume(self)
    }

    /// Sends an answer: a line of its own, or its place in a batch.
    func send(_ json: [UInt8], _ id: RequestID, _ place: Batch.Place?) {
        guard let place else {
            if id != .absent { writeLine(json) }
            return
        }
        let answer = id == .absent ? [] : json
        guard let line = place.batch.answer(place, answer) else { return }
        if batch === place.batch { batch = nil }
        openBatches.removeAll { $0 === place.batch }
        if !line.isEmpty { writeLine(line) }
        pushDue()
    }

    private func writeLine(_ json: [UInt8]) {
        guard connection.isOpen else { return }
        connection.output.append(json)
        connection.output.append(0x0A)
    }

    /// Answers at once if the peer has been sent all it is owed, or else as soon as it has.
    ///
    /// What a batch holds back was not owed when its line was read.
    func barrier(_ request: Request) {
        if isBehind, !holdsPushes {
            barriers.append((request.id.kept, request.place))
        } else {
            daemon.answerEmpty(self, request.id, request.place)
        }
    }

    // MARK: Pushes out

    /// Whether pushes wait for the answer of a batch that may have caused them.
    var holdsPushes: Bool {
        guard let batch else { return false }
        return !batch.waitsForService
    }

    /// Sends a subscriber what it is owed, as far as the socket has room; the rest follows when the output has drained.
    func push(_ subscription: Subscription) {
        guard connection.isOpen else { return }
        while !isClogged, !holdsPushes {
            guard let push = daemon.nextPush(for: subscription) else { return }
            daemon.write(push, for: subscription, to: connection)
        }
        isBehind = true
    }

    /// Sends what is owed to all subscriptions of the connection.
    func pushDue() {
        isBehind = false
        for subscription in subscriptions where daemon.isBehind(subscription) {
            push(subscription)
        }
        tellHealth()
        guard !isBehind, !barriers.isEmpty else { return }
        let passed = barriers
        barriers = []
        for barrier in passed { daemon.answerEmpty(self, barrier.id, barrier.place) }
        daemon.resume(self)
    }
}

extension Request {
    static var tooLong: Request {
        Request(
            id: .unreadable,
            outcome: .failure(
                WireError(
                    .lineTooLong,
                    "a line has at most \(Limits.lineBytes) bytes; this one was discarded")))
    }

    /// Whether it is what ``UserRead`` may recognise.
    fileprivate var isUserRead: Bool {
        guard case .success(let valid) = outcome, case .userGet(nil) = valid.call else {
            return false
        }
        return true
    }

    /// The request with bytes of its own, to be kept beyond the line it came in.
    fileprivate var kept: Request {
        Request(id: id.kept, outcome: outcome, isTyped: isTyped, place: place)
    }
}
