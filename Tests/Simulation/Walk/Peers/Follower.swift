// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// What a peer knows of one topic, from the snapshot and the pushes alone; it outlives the peer's connections.
final class Follower {
    let topic: String
    let name: String
    let mode: String
    private let model: Model
    private let trace: Trace
    /// The last cursor; kept while the peer is away.
    private(set) var position: Position?
    private(set) var state = Value.null
    private(set) var movies: [MadeUpMovie] = []
    private(set) var status = Value.null
    /// Whether the daemon said that it pushes, and did not say that it no longer does.
    private(set) var isActive = false
    /// Whether a subscription was asked for on this connection and not answered.
    var isPending = false

    init(_ topic: String, name: String, mode: String, _ model: Model, _ trace: Trace) {
        self.topic = topic
        self.name = name
        self.mode = mode
        self.model = model
        self.trace = trace
    }

    var user: Int64? { topic.hasPrefix("user/") ? Int64(topic.dropFirst(5)) : nil }
    var list: String? { topic.hasPrefix("movies/") ? String(topic.dropFirst(7)) : nil }

    /// The connection is lost, and nothing of what is known.
    func leave() {
        isActive = false
        isPending = false
    }

    func forget() { position = nil }

    func end() { isActive = false }

    // MARK: Beginning

    /// Takes the reply to a subscription.
    func begin(_ result: Value, since: Position?) throws(Violation) {
        isActive = true
        isPending = false
        let cursor = try Position(result["cursor"])
        try Violation.require(
            result["as"].text == name && result["topic"].text == topic, "another subscription began"
        )
        if result["recovered"].boolean == true {
            trace.count(.recovered)
            try Violation.require(since?.isMadeUp == false, "a made-up cursor was gone on from")
            try Violation.require(
                cursor == since && result["snapshot"] == .null, "a subscription went on elsewhere")
            if let since, let head = model.topics[topic]?.head, head >> 32 > since.run {
                trace.count(.resumedAfterRestart)
            }
            position = cursor
            return
        }
        try checkReason(result["reason"].text ?? "", since)
        position = cursor
        state = .null
        movies = []
        status = .null
        try apply(result["snapshot"], isWhole: result["more"] == .null, at: cursor)
    }

    /// Why a cursor that the daemon itself gave could not be gone on from.
    private func checkReason(_ reason: String, _ since: Position?) throws(Violation) {
        switch reason {
        case "no_cursor":
            trace.count(.noCursor)
            try Violation.require(
                since == nil, "the cursor \(since?.description ?? "") was not used")
        case "epoch_changed":
            trace.count(.epochChanged)
            try Violation.require(since?.epoch != model.epoch, "the epoch did not change")
        case "list_reset":
            trace.count(.listReset)
            try Violation.require(list != nil, "\(topic) is no list")
        case "too_old":
            trace.count(.tooOld)
            try Violation.require(list == nil, "lists remember all")
        case "ahead" where since?.isMadeUp == true: trace.count(.ahead)
        default: throw Violation("O8: a cursor that was given is \(reason)")
        }
    }

    // MARK: Going on

    /// Takes a push.
    func take(_ push: Value) throws(Violation) {
        let former = try Position(push["prev"])
        let cursor = try Position(push["cursor"])
        try Violation.require(
            former == position, "O5: prev is \(former), not \(position?.description ?? "none")")
        try Violation.require(
            cursor.epoch == former.epoch && cursor.revision > former.revision,
            "I3: \(cursor) does not follow \(former)")
        try checkLoss(push, former, cursor)
        if push["data"]["op"].text == "reset" { trace.count(.listRestarted) }
        let isWhole = push["more"] == .null
        if !isWhole { trace.count(.chunked) }
        let skipped = Int(push["skipped"].integer ?? 0)
        let before = state
        try apply(push["data"], isWhole: isWhole, at: cursor)
        if isWhole { position = cursor }
        if user != nil {
            model.noteStep(topic, from: former, through: cursor, skipped: skipped)
            if skipped == 0, former.run == cursor.run { try checkTransition(before, state) }
        }
    }

    /// What is left out is said, and only what may be.
    private func checkLoss(_ push: Value, _ former: Position, _ cursor: Position) throws(Violation)
    {
        let skipped = push["skipped"].integer ?? 0
        let isGap = push["gap"].boolean == true
        if skipped > 0 { trace.count(.skipped) }
        if isGap { trace.count(.gap) }
        if list != nil {
            try Violation.require(skipped == 0 && !isGap, "I5: a list skips nothing")
        } else if mode == "latest" {
            try Violation.require(!isGap, "mode latest has no gaps")
        } else {
            try Violation.require(
                isGap ? skipped >= Limits.historyTransitions : skipped == 0,
                "I5: mode all left \(skipped) out, gap \(isGap)")
        }
    }

    /// The transitions of a user that are one step.
    private func checkTransition(_ from: Value, _ to: Value) throws(Violation) {
        let steps: Set<String> = [
            "initial loading", "loading loaded", "loading error", "loaded loading",
            "loaded loaded", "error loading",
            // Refused by the store, the answer to a fetch is shown as an error; so is a fetch that was never shown.
            "loaded error", "error error", "error loaded", "initial initial",
        ]
        let step = "\(from["state"].text ?? "") \(to["state"].text ?? "")"
        try Violation.require(steps.contains(step), "S1: \(topic) went \(step)")
    }

    private func apply(_ data: Value, isWhole: Bool, at cursor: Position) throws(Violation) {
        if let user {
            state = data
            try model.noteUser(user, cursor, data)
        } else if let list {
            try applyChunk(data)
            if isWhole { try model.noteList(list, cursor, movies, status) }
        } else {
            state = data
            // Each peer is told to wait another time.
            guard data["event"].text != "stop" else { return }
            try model.note(topic, cursor, body: data.canonical)
        }
    }

    private func applyChunk(_ data: Value) throws(Violation) {
        guard let position = data["at"].integer.map({ Int($0) }) else {
            throw Violation("a change of \(topic) is none: \(data.canonical)")
        }
        if data["op"].text == "reset" { movies = [] }
        try Violation.require(position <= movies.count, "L1: a hole in \(topic) before \(position)")
        movies = movies.prefix(position) + (try data["items"].elements.map(MadeUpMovie.init(item:)))
        status = data["status"]
    }
}

extension MadeUpMovie {
    init(item: Value) throws(Violation) {
        guard let id = item["id"].integer, let title = item["title"].text,
            let movie = MadeUpMovie(id: id, title: title)
        else { throw Violation("no movie that was ever made up: \(item.canonical)") }
        self = movie
    }
}
