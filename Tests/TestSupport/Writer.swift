// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A client that sends changes without waiting for the answers, and tells a ``History`` what it sent and heard.
///
/// What has no answer when its connection ends is sent again on the next one, under the same key.
package final class Writer {
    package enum Change {
        case rename(user: Int, to: History.Name)
        case fetch(user: Int)
        case page
        case refresh
    }

    /// A change under way.
    private struct Request {
        let change: Change
        /// The call as JSON, from its method on.
        let call: String
        /// Where the change was, if it is repeated although it was answered.
        var answeredAt: String?
        var isRepeated = false
    }

    package let number: Int
    private let history: History
    private var client: LineClient?
    private var lastID = 0
    private var lastName = 0
    /// Makes this writer's keys differ from those of all others.
    private let keyPrefix = String(UInt64.random(in: .min ... .max), radix: 16)
    private var lastKey = 0
    /// What was sent and has no answer yet.
    private var unanswered: [Int: Request] = [:]
    /// The last rename that was answered.
    private var lastRename: Request?
    /// How often the daemon said no, by reason.
    package private(set) var refusals: [String: Int] = [:]
    /// How many changes were sent more than once.
    package private(set) var repeats = 0
    /// Whether the list has no further page.
    package private(set) var isListComplete = false

    package init(_ number: Int, _ history: History) {
        self.number = number
        self.history = history
    }

    package var hasUnanswered: Bool { !unanswered.isEmpty }

    /// Goes on with a new connection, on which everything that has no answer is sent again.
    package func connect(_ client: LineClient) throws {
        self.client = client
        let rest = unanswered.sorted { $0.key < $1.key }.map(\.value)
        unanswered = [:]
        for request in rest { try sendAgain(request) }
    }

    /// Sends the last rename that was answered once more: it must have happened, and happen no more.
    package func repeatRename() throws {
        guard let lastRename else { return }
        try sendAgain(lastRename)
    }

    private func sendAgain(_ request: Request) throws {
        if case .fetch = request.change { return }
        if case .refresh = request.change { history.sentRefresh() }
        var request = request
        request.isRepeated = true
        repeats += 1
        try send(request)
    }

    package func rename(_ user: Int) throws {
        lastName += 1
        let name = History.Name(writer: number, number: lastName)
        history.sent(name, to: user)
        try send(
            .rename(user: user, to: name), "user.rename",
            #""user":\#(user),"name":"\#(name)","key":"\#(makeKey())""#)
    }

    package func fetch(_ user: Int) throws {
        try send(.fetch(user: user), "user.fetch", #""user":\#(user)"#)
    }

    /// Asks for the list's next page, or for the first one anew when there is none left.
    package func growList() throws {
        if isListComplete { try refresh() }
        try send(.page, "movies.fetch", #""key":"\#(makeKey())""#)
    }

    package func refresh() throws {
        isListComplete = false
        history.sentRefresh()
        try send(.refresh, "movies.refresh", #""key":"\#(makeKey())""#)
    }

    private func makeKey() -> String {
        lastKey += 1
        return "\(keyPrefix)-\(lastKey)"
    }

    private func send(_ change: Change, _ method: String, _ parameters: String) throws {
        try send(Request(change: change, call: #""\#(method)","params":{\#(parameters)}"#))
    }

    private func send(_ request: Request) throws {
        guard let client else { throw TestFailure("writer \(number) is not connected") }
        lastID += 1
        unanswered[lastID] = request
        try client.send(#"{"jsonrpc":"2.0","id":\#(lastID),"method":\#(request.call)}"#)
    }

    /// Takes answers until there is one to all that was sent.
    package func catchUp() throws {
        while !unanswered.isEmpty {
            guard let line = try client?.line() else { throw TestFailure("the stream ended") }
            try take(line)
        }
    }

    /// Takes what comes until the stream ends; a line that was cut short there is left out.
    package func takeRest() throws {
        while let line = try? client?.line() { try take(line) }
    }

    /// Ends the connection, whatever is under way on it.
    package func cut() { client?.close() }

    private func take(_ line: String) throws {
        let answer = try JSON(parsing: line)
        guard let id = answer["id"].integer, var request = unanswered.removeValue(forKey: id) else {
            history.fault("writer \(number) got an answer to nothing: \(line)")
            return
        }
        if let reason = answer.reason {
            refusals[reason, default: 0] += 1
            if reason == "end_of_list" { isListComplete = true }
            if !Self.expectedRefusals.contains(reason) { history.fault("refused: \(line)") }
            return
        }
        let result = answer["result"]
        let cursor = result["cursor"].string ?? "none in \(line)"
        switch request.change {
        case .rename(let user, let name):
            if result["state", "user", "name"].string != "\(name)" {
                history.fault("renamed to \(name), answered with \(line)")
            }
            if let first = request.answeredAt {
                if first != cursor {
                    history.fault("\(name) was at \(first), repeated at \(cursor)")
                }
                return
            }
            history.acknowledged(name, of: user, at: cursor)
            request.answeredAt = cursor
            lastRename = request
        case .fetch(let user): history.heard(result["state"], of: user, at: cursor)
        case .page where request.isRepeated: break
        case .page:
            history.acknowledgedPage(total: result["total"].integer ?? 0, at: cursor)
            isListComplete = result["complete"].boolean == true
        case .refresh: break
        }
    }

    /// What the daemon may say under faults without breaking a promise.
    private static let expectedRefusals: Set = [
        "busy", "degraded", "end_of_list", "invalid_transition", "shutting_down", "upstream_failed",
    ]
}
