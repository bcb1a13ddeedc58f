// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherEventLoop
import UsherWire

/// A program at the other end of a connection: asks, follows topics, and believes nothing that it was not told.
final class Peer {
    let name: String
    let uid: UInt32
    let gid: UInt32
    let role: Role
    let model: Model
    let trace: Trace
    let log: LogBook
    let parser: ValueParser
    /// The user that belongs to this peer alone, if any does.
    let ownUser: Int64?
    private(set) var socket: PeerSocket?
    private(set) var pid: Int32 = 0
    var followers: [Follower] = []
    var lastID = 0

    // What happened on this connection.
    /// What is to be sent.
    private(set) var outbox: [UInt8] = []
    private var sentBytes = 0
    private(set) var lines = 0
    private var unreadLine: [UInt8] = []
    /// Asked and not answered, in order; those that may be overtaken apart.
    var inOrder: [Pending] = []
    var deferred: [Pending] = []
    private(set) var answers = 0
    /// Whether the daemon may end the connection without having answered everything.
    var mayBeCut = false
    /// Up to where its lines were read when the daemon was told to stop: these are answered, if there is time.
    var answeredThrough: (bytes: Int, until: UInt64)?
    /// When it will read again, if it does not now.
    var stallsUntil: UInt64 = 0
    /// Whether its kernel never leaves the daemon without room.
    private(set) var hasAlwaysRoom = false
    /// Whether it was told that the store cannot be written; known to those who follow something.
    var knowsDegraded = false
    /// Names that it asked for, was not yet answered, and so must not hear of.
    var pendingNames: Set<String> = []

    /// Bytes that the kernel of a peer holds which never leaves the daemon without room.
    static let ampleCapacity = 100_000

    /// How long the daemon has to wait for it, in milliseconds.
    var patience: (stall: UInt64, partialLine: UInt64) = (0, 0)
    /// When it last read something.
    private var lastProgress: UInt64 = 0
    /// When it sent the first byte of a line that it did not end yet.
    private var lineBegan: UInt64?

    /// A request on its way.
    struct Pending {
        /// As it comes back; of a batch, that of the first one that has one.
        let id: String
        let ask: Ask
        /// What was highest when it was asked.
        let heads: [String: UInt64]
        /// Whether the same, by its key, was known to be done.
        var wasDone = false
        /// Bytes of the connection up to the end of its line.
        let end: Int
        /// The requests of a batch that are answered.
        var batch: [Pending] = []
        /// Whether it is one of those.
        var isInBatch = false
    }

    init(
        _ name: String, uid: UInt32, gid: UInt32, role: Role, ownUser: Int64?, model: Model,
        trace: Trace, log: LogBook, parser: ValueParser
    ) {
        self.name = name
        self.uid = uid
        self.gid = gid
        self.role = role
        self.ownUser = ownUser
        self.model = model
        self.trace = trace
        self.log = log
        self.parser = parser
    }

    var isConnected: Bool { socket != nil }

    /// Whether it sent all it will send on this connection.
    private(set) var hasEnded = false

    // MARK: The connection

    func connect(_ socket: PeerSocket, pid: Int32) {
        self.socket = socket
        self.pid = pid
        outbox = []
        sentBytes = 0
        lines = 0
        unreadLine = []
        inOrder = []
        deferred = []
        pendingNames = []
        knowsDegraded = false
        hasAlwaysRoom = socket.capacity >= Self.ampleCapacity
        answers = 0
        mayBeCut = false
        answeredThrough = nil
        hasEnded = false
        stallsUntil = 0
        lastProgress = Kernel.now
        lineBegan = nil
    }

    /// Forgets the connection, and keeps what it knows of its topics.
    func disconnect() {
        socket = nil
        inOrder = []
        deferred = []
        outbox = []
        for follower in followers { follower.leave() }
    }

    /// Queues a line and says where it ends.
    @discardableResult func queue(_ line: [UInt8], ending: [UInt8] = [0x0A]) -> Int {
        outbox += line + ending
        lines += 1
        trace.note(name, ">  " + String(decoding: line.prefix(300), as: UTF8.self))
        return sentBytes + outbox.count
    }

    /// Sends some of what is queued, as one read of the daemon.
    func send(_ count: Int) {
        let piece = Array(outbox.prefix(count))
        outbox.removeFirst(piece.count)
        sentBytes += piece.count
        if socket?.isEnding == true {
            // The daemon will not hear of it.
        } else if piece.last == 0x0A {
            lineBegan = nil
        } else if piece.contains(0x0A) || lineBegan == nil {
            lineBegan = Kernel.now
        }
        if let last = piece.last, last != 0x0A { trace.count(.lineSplit) }
        if piece.count(where: { $0 == 0x0A }) > 1 { trace.count(.linesJoined) }
        if piece.count == 1 { trace.count(.oneByteReads) }
        trace.note(name, "sends \(piece.count) bytes")
        socket?.send(piece)
    }

    /// Says that no more comes.
    func shutWriting() {
        send(outbox.count)
        hasEnded = true
        trace.count(.halfClosed)
        socket?.shutWriting()
    }

    func close() {
        guard let socket else { return }
        trace.count(socket.availableBytes > 0 ? .reset : .closed)
        socket.close()
        disconnect()
    }

    // MARK: Reading

    /// Reads what is there, at most so many bytes, and takes the lines that end in it.
    func read(_ count: Int = .max) throws(Violation) {
        guard let socket else { return }
        let bytes = socket.read(min(count, socket.availableBytes))
        if !bytes.isEmpty, !socket.isEnding { lastProgress = Kernel.now }
        unreadLine += bytes
        while let end = unreadLine.firstIndex(of: 0x0A) {
            let line = Array(unreadLine[..<end])
            unreadLine.removeFirst(end + 1)
            try Violation.require(end < Limits.lineBytes, "a line of \(end + 1) bytes")
            trace.note(name, received: line)
            guard let value = parser.parse(line) else {
                throw Violation("no strict JSON: \(String(decoding: line, as: UTF8.self))")
            }
            try take(value)
        }
        if socket.isAtEnd { try end() }
    }

    private func take(_ line: Value) throws(Violation) {
        if line["method"].text == "event" {
            try takePush(line["params"])
        } else if line["method"].text == "health" {
            try takeHealth(line["params"]["degraded"].boolean)
        } else if lines == 0 || inOrder.isEmpty && deferred.isEmpty {
            try takeRefusal(line)
        } else if isRefusal(line), answers == 0 {
            try takeRefusal(line)
        } else {
            answers += 1
            try takeAnswer(line)
        }
    }

    private func isRefusal(_ line: Value) -> Bool {
        let reason = line["error"]["data"]["reason"].text
        return line["id"] == .null && (reason == "too_many_clients" || reason == "shutting_down")
    }

    /// The only line that may come unasked.
    private func takeRefusal(_ line: Value) throws(Violation) {
        try Violation.require(
            isRefusal(line) && answers == 0, "O7: a line came unasked: \(line.canonical)")
        if line["error"]["data"]["reason"].text == "too_many_clients" { trace.count(.peerRefused) }
        mayBeCut = true
    }

    /// The daemon closed the connection.
    private func end() throws(Violation) {
        trace.note(name, "is at the end")
        if let eviction = log.eviction(of: pid) {
            // A connection that is being closed reads no more, and so sees no line end.
            if !mayBeCut { try checkEviction(eviction) }
        } else if let mark = answeredThrough, Kernel.now < mark.until, socket?.isCutShort == false {
            let open = (inOrder + deferred).filter { $0.end <= mark.bytes }.map(\.ask.method)
            try Violation.require(open.isEmpty, "I16: a stop left unanswered: \(open)")
        } else if !mayBeCut, socket?.isCutShort == false {
            try Violation.require(hasEnded, "I8: \(name) was cut off without a reason")
            try Violation.require(socket?.wasReset == false, "a peer that ended is not reset")
            try requireAllAnswered("\(name) ended")
        }
        disconnect()
    }

    /// A peer is cut off only if it did not do its part for long enough.
    private func checkEviction(_ eviction: LogBook.Eviction) throws(Violation) {
        trace.count(eviction.isStalled ? .stalledPeerCut : .partialLineCut)
        if eviction.isStalled {
            try Violation.require(
                eviction.at - lastProgress >= patience.stall, "I12: \(name) was reading")
        } else if socket?.wasReset == false {
            // With all of it read, no line had ended.
            try Violation.require(
                lineBegan.map { eviction.at - $0 >= patience.partialLine } == true,
                "I12: \(name) had not begun a line for long")
        }
    }

    func requireAllAnswered(_ when: String) throws(Violation) {
        let open = (inOrder + deferred).map { "\($0.ask.method) \($0.id)" }
        try Violation.require(open.isEmpty, "I8: \(when), and was not answered: \(open)")
    }
}
