// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A topic as a careful client keeps it: from the snapshot and the pushes alone, each proven to follow the last.
package final class Replica {
    package let topic: String
    package let mode: String
    package private(set) var client: LineClient
    /// The last cursor; nil before the first subscription.
    package private(set) var cursor: String?
    /// The user's state, as JSON.
    package private(set) var state = JSON.null
    /// The ids of a list's movies.
    package private(set) var movies: [Int] = []
    package private(set) var status = JSON.null
    /// Names that a user had, in the order they were told; what mode `latest` left out is missing.
    package private(set) var names: [String] = []
    /// How many pushes said that some were lost.
    package private(set) var gaps = 0
    package private(set) var skipped = 0
    package private(set) var pushes = 0
    /// Is told each state of the user with its cursor, as it comes.
    package var onState: ((_ state: JSON, _ cursor: String) -> Void)?

    /// A topic from now on, or from a cursor.
    package init(_ topic: String, mode: String, since cursor: String? = nil, on client: LineClient)
    {
        self.topic = topic
        self.mode = mode
        self.cursor = cursor
        self.client = client
    }

    /// Subscribes, from the cursor if there is one, and gives the reason for a snapshot; nil if it goes on.
    @discardableResult
    package func subscribe(on client: LineClient? = nil) throws -> String? {
        if let client { self.client = client }
        let since = cursor.map { #","since":"\#($0)""# } ?? ""
        let reply = try self.client.ask(
            #"{"id":"s","method":"subscribe","params":{"topic":"\#(topic)","mode":"\#(mode)"\#(since)}}"#
        )
        // The reply comes before every push of the subscription.
        guard reply["id"].string == "s", reply["error"] == .null else {
            throw TestFailure("not subscribed: \(reply)")
        }
        let result = reply["result"]
        if result["recovered"].boolean == true {
            guard result["cursor"].string == cursor, result["snapshot"] == .null else {
                throw TestFailure("went on from elsewhere: \(reply)")
            }
            return nil
        }
        movies = []
        names = []
        cursor = result["cursor"].string
        try take(result["snapshot"], at: cursor)
        return result["reason"].string ?? "none"
    }

    /// Takes pushes until the answer to a barrier.
    package func catchUp() throws {
        try client.send(#"{"id":"b","method":"sync"}"#)
        while try takeLine() != "b" {}
    }

    /// Takes what comes until the stream ends; a line that was cut short there is left out.
    package func takeRest() throws {
        while let line = try? client.line() { try take(line: JSON(parsing: line)) }
    }

    /// Takes a line, and gives its id if it is an answer.
    @discardableResult
    package func takeLine() throws -> String? { try take(line: try client.json()) }

    @discardableResult
    private func take(line: JSON) throws -> String? {
        if let id = line["id"].string { return id }
        if line["method"].string == "health" { return nil }
        let push = line["params"]
        guard line["method"].string == "event", push["as"].string == topic else {
            throw TestFailure("not a push of \(topic): \(line)")
        }
        guard let cursor, push["prev"].string == cursor else {
            throw TestFailure("the chain is broken behind \(cursor ?? "nothing"): \(push)")
        }
        pushes += 1
        if push["gap"].boolean == true { gaps += 1 }
        skipped += push["skipped"].integer ?? 0
        try take(push["data"], at: push["cursor"].string)
        if push["more"] == .null { self.cursor = push["cursor"].string }
        return nil
    }

    private func take(_ data: JSON, at cursor: String?) throws {
        guard let operation = data["op"].string else {
            state = data
            onState?(data, cursor ?? "")
            if let name = data["user", "name"].string { names.append(name) }
            return
        }
        guard let position = data["at"].integer,
            operation == "append" || position == 0 || movies.count >= position,
            position <= movies.count || operation == "reset"
        else { throw TestFailure("movies are missing before: \(data)") }
        movies =
            Array(movies.prefix(position)) + data["items"].array.compactMap { $0["id"].integer }
        status = data["status"]
    }
}

extension LineClient {
    /// A list as it is now, page by page: the ids, the status and the cursor.
    package func wholeList() throws -> (movies: [Int], status: JSON, cursor: String?) {
        var movies: [Int] = []
        var offset = 0
        while true {
            let page = try ask(
                #"{"id":1,"method":"movies.get","params":{"offset":\#(offset),"limit":500}}"#)[
                    "result"]
            movies += page["items"].array.compactMap { $0["id"].integer }
            guard let next = page["next"].integer else {
                return (movies, page["status"], page["cursor"].string)
            }
            guard next > offset else { throw TestFailure("the list does not go on at \(offset)") }
            offset = next
        }
    }
}
