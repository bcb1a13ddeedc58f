// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherCore
package import UsherEventLoop
import UsherStore
import UsherUpstream
import UsherWire

/// The daemon: performs what the core decides, on one event loop.
///
/// Everything here runs on the loop's thread. What comes from other threads comes through the loop's inbox.
package final class Daemon {
    let loop: EventLoop
    var configuration: Configuration
    /// Where the configuration is read again.
    let source: ConfigurationSource
    let log: Log
    let parts: Parts
    let startedAt: UInt64
    let binder = RequestBinder()
    let core: Core
    var sessions: [SessionID: Session] = [:]
    var outlets = Outlets()
    var statistics = Statistics()
    var roles: PeerRoles
    /// How many clients there are descriptors for.
    let roomForClients: Int
    var places = Places()
    /// Connections that have had their share of this turn and have more to do.
    var waitingForTurn = 0
    var evictions = Evictions()
    /// Connections that were not let in and are not closed yet.
    var refused: [ObjectIdentifier: Connection] = [:]
    private(set) lazy var patience = Patience(of: self)
    var upstreams: Upstreams
    /// Services of before a reload that still have something in flight.
    var retired: [Upstreams] = []
    let store: any ChangeLog
    var sockets: ListeningSockets
    var listeners: [Listener] = []
    let service: Service
    var signals: Signals?
    var stopping: Stopping?
    var reconnectDelays: ReconnectDelays
    var lastPush = EncodedPush()
    var sharedOutput = SharedOutput()
    var userResults = UserResults()

    /// The bytes of an answer while it is made; reused, so that answers cost no allocation.
    var scratch = JSONWriter()
    private var nextSession: UInt64 = 0
    private var nextToken: UInt64 = 0
    /// What waits for an answer.
    private var pending: [RequestToken: PendingRequest] = [:]
    /// What happened while something else was handled.
    private var events: [Event] = []
    private var effects: [Effect] = []
    private var isHandling = false
    private var resumable: [Session] = []
    var storeLine = StoreLine()
    /// How many changes were shown: what is kept encoded is right while this stays.
    var shownChanges: UInt64 = 0
    private(set) var box: LoopBound<Unowned<Daemon>>?

    var limits: Limits { configuration.limits }

    /// Makes a daemon with everything that can fail: roles, services, the store, the socket.
    ///
    /// `source` is where `configuration` came from; `environment` is what a service manager handed over.
    package init(
        _ configuration: Configuration, from source: ConfigurationSource,
        in environment: ServiceEnvironment, of parts: Parts = Parts(), on loop: EventLoop, log: Log
    ) throws(StartError) {
        self.loop = loop
        roomForClients = Descriptors.roomForClients()
        self.configuration = configuration.fitting(roomForClients, log)
        self.source = source
        service = Service(environment)
        self.log = log
        self.parts = parts
        var random = parts.random
        reconnectDelays = ReconnectDelays(using: &random)
        startedAt = loop.now
        loop.busyPollMicroseconds = configuration.busyPollMicroseconds
        roles = try PeerRoles(configuration)
        upstreams = try Upstreams(configuration, of: parts, on: loop, log: log)
        let stored: StoredState
        do throws(StartError) {
            // The socket's lock comes first: it keeps a second daemon from the store with a clear word.
            sockets = try ListeningSockets(configuration, inherited: environment.sockets)
            store = parts.store(configuration)
            stored = try Self.open(store, behind: sockets)
        } catch {
            upstreams.close()
            throw error
        }
        var effects: [Effect] = []
        core = Core(stored, lists: upstreams.movies.lists, &effects)
        box = LoopBound(Unowned(self), on: loop)
        watchStore()
        for effect in effects { perform(effect) }
    }

    // MARK: Connections

    func accept(_ connection: Connection) {
        let credentials: PeerCredentials
        do {
            credentials = try PeerCredentials(of: connection.descriptor)
        } catch {
            log.warning("a connection without credentials was closed: \(error)")
            connection.close()
            return
        }
        nextSession += 1
        let peer = roles.peer(credentials, ownUser: upstreams.ownUser)
        if let refusal = refusal(of: credentials.uid) {
            refuse(connection, refusal)
            return
        }
        places.take(for: credentials.uid)
        let session = Session(
            id: SessionID(value: nextSession), connection, credentials, peer, daemon: self)
        sessions[session.id] = session
        statistics.accepted += 1
        connection.onClose = { [unowned self, session] reason in
            closed(session, reason)
        }
    }

    private func closed(_ session: Session, _ reason: CloseReason) {
        for subscription in session.subscriptions { end(subscription) }
        statistics.subscriptions -= session.subscriptions.count
        session.subscriptions = []
        freePlace(of: session)
        for request in session.inFlight { pending[request.token] = nil }
        sessions[session.id] = nil
        if case .failed(let error) = reason {
            statistics.lost += 1
            // Programs end in the middle of things; that alone is no news.
            if error.code != EPIPE, error.code != ECONNRESET {
                log.info("pid \(session.credentials.pid): connection lost: \(error)")
            }
        }
        goOnStopping()
    }

    // MARK: Events and effects

    /// Takes an event to the core and does what it says; events that this causes follow in order.
    func handle(_ event: Event) {
        handle(CollectionOfOne(event))
    }

    /// The same with several events, before any peer goes on.
    func handle(_ several: some Collection<Event>) {
        guard !isHandling else {
            events += several
            return
        }
        isHandling = true
        for event in several { follow(event) }
        var index = 0
        while index < events.count {
            follow(events[index])
            index += 1
        }
        events.removeAll(keepingCapacity: true)
        isHandling = false
        let sessions = resumable
        resumable = []
        for session in sessions { session.pump() }
    }

    private func follow(_ event: Event) {
        core.handle(event, &effects)
        // By index: an iterator would hold the array, and the next effects need another one.
        for index in effects.indices { perform(effects[index]) }
        effects.removeAll(keepingCapacity: true)
    }

    func perform(_ effect: Effect) {
        switch effect {
        case .reply(let token, let result):
            guard let request = pending.removeValue(forKey: token) else { return }
            request.session.answer(request, result)
        case .changed(let topic):
            shownChanges &+= 1
            broadcast(topic)
        case .commit(let owner, let change): commit(change, of: owner)
        case .fetchUser(let id):
            upstreams.fetchUser(id) { [unowned self] result in handle(.userFetched(id, result)) }
        case .fetchPage(let list, let page):
            upstreams.fetchPage(list, page) { [unowned self] result in
                handle(.pageFetched(list, result))
            }
        }
    }

    // MARK: Requests

    /// Names a request that is answered later, by a service or else by the store.
    func postpone(
        _ request: Request, of session: Session, waitsForService: Bool = false
    ) -> RequestToken {
        nextToken += 1
        let token = RequestToken(value: nextToken)
        let request = PendingRequest(
            request, token, of: session, waitsForService: waitsForService)
        pending[token] = request
        session.postpone(request)
        return token
    }

    /// Lets a connection go on with what waited, once the event at hand is done with.
    func resume(_ session: Session) {
        if isHandling {
            resumable.append(session)
        } else {
            session.pump()
        }
        goOnStopping()
    }

    /// How many lines a connection may have handled before the others get their turn.
    ///
    /// The more connections have more to do, the fewer it is, so that a turn does not grow with them.
    var linesPerTurn: Int {
        max(1, Limits.linesPerTurn / max(1, waitingForTurn / Self.fullShares))
    }

    /// How many connections may have a full share of a turn.
    private static let fullShares = 16

    /// Whether any request waits for a service or for the store.
    var hasRequestsInFlight: Bool { !pending.isEmpty }
}

/// A reference that keeps nothing alive, for who is gone before the object is.
///
/// A weak one would make every reference to the object slower for ever: its counts move out of the object.
struct Unowned<Object: AnyObject> {
    unowned let object: Object

    init(_ object: Object) { self.object = object }
}
