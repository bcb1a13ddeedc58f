// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// A daemon whose movies come from a server that answers as told.
final class Theatre {
    /// Made up for the tests, and looked for in all that comes out.
    static let key = "0123456789abcdef0123456789abcdef"

    let daemon: RunningDaemon
    let client: LineClient
    private let token: String
    private let watcher: LineClient
    /// Every line that came.
    private var heard: [String] = []

    convenience init(_ steps: String...) throws { try self.init(steps) }

    /// The last step is what all further requests get.
    init(
        _ steps: [String], limits: [String] = [], options: [String] = [],
        environment: [String: String] = [:],
        address: (HTTPTestServer, String) -> String? = { _, _ in nil }
    ) throws {
        let server = HTTPTestServer.shared
        token = HTTPTestServer.makeToken()
        let place = address(server, token) ?? server.address(steps, token: token)
        daemon = try RunningDaemon(
            RunningDaemon.demo + ["--movies", "tmdb:\(place)"] + options
                + limits.flatMap { ["--upstream-limit", $0] },
            environment: ["TMDB_API_KEY": Self.key].merging(environment) { $1 })
        client = try daemon.connect()
        watcher = try daemon.connect()
        try watcher.send("watch movies")
        _ = try watcher.line()
    }

    func more() throws -> JSON {
        try client.send("more")
        let line = try #require(try client.line())
        heard.append(line)
        return try JSON(parsing: line)
    }

    /// What the list's watcher was told since it was last asked.
    func pushes() throws -> [JSON] {
        try watcher.send(#"{"id":"b","method":"sync"}"#)
        var pushes: [JSON] = []
        while true {
            let line = try #require(try watcher.line())
            heard.append(line)
            let push = try JSON(parsing: line)
            if push["id"].string == "b" { return pushes }
            pushes.append(push["params", "data"])
        }
    }

    /// What the list's watcher is told until a condition holds for the last of it.
    func pushes(until condition: (JSON) -> Bool) throws -> [JSON] {
        var all: [JSON] = []
        let holds = try eventually {
            all += try pushes()
            return all.last.map(condition) == true
        }
        #expect(holds, "the last push is \(all.last as JSON?)")
        return all
    }

    /// The counters of the movie service.
    func counters() throws -> JSON {
        try client.ask("stats")["result", "movies"]
    }

    /// Lets the server's gated answers go, and its broken ones be whole.
    func openGate() throws {
        try HTTPTestServer.shared.openGate(token: token)
    }

    /// The heads of the requests that the server got.
    func requests() throws -> [String] {
        try HTTPTestServer.shared.requests(token: token)
    }

    /// Waits until the server has got so many requests.
    func waitForRequests(_ count: Int) throws {
        let haveCome = try eventually { try requests().count >= count }
        #expect(haveCome, "\(count) requests did not come")
    }

    /// Everything that anybody could have seen the key in.
    func checkSecrecy() throws {
        try client.send("stats", "clients", "hello", "movies")
        for _ in 0..<4 { heard.append(try client.line() ?? "") }
        #expect(daemon.terminate() == 0)
        for text in heard + [daemon.log.text] {
            #expect(!text.contains(Self.key) && !text.contains("api_key"))
        }
    }
}
