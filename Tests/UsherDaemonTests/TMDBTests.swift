// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// Made up for the tests, and looked for in all that comes out.
private let key = "0123456789abcdef0123456789abcdef"

/// A daemon whose movies come from a server that answers as told.
private final class Theatre {
    let daemon: RunningDaemon
    let client: LineClient
    private let watcher: LineClient
    /// Every line that came.
    private var heard: [String] = []

    convenience init(_ steps: String...) throws { try self.init(steps: steps) }

    /// The last step is what all further requests get.
    init(steps: [String]) throws {
        let address = HTTPTestServer.shared.address(steps, token: HTTPTestServer.makeToken())
        daemon = try RunningDaemon(
            RunningDaemon.demo + ["--movies", "tmdb:\(address)"], environment: ["TMDB_API_KEY": key]
        )
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

    /// Everything that anybody could have seen the key in.
    func checkSecrecy() throws {
        try client.send("stats", "clients", "hello", "movies")
        for _ in 0..<4 { heard.append(try client.line() ?? "") }
        #expect(daemon.terminate() == 0)
        for text in heard + [daemon.log.text] {
            #expect(!text.contains(key) && !text.contains("api_key"))
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct `Movies from TMDB` {
    @Test func `of pages that overlap come once each, to the end`() throws {
        let theatre = try Theatre("page")
        let totals = try (0..<3).map { _ in try theatre.more()["result", "total"].integer }
        // The second page begins with the last film of the first.
        #expect(totals == [3, 5, 8])
        #expect(try theatre.more().reason == "end_of_list")
        let list = try theatre.client.wholeList()
        #expect(list.movies == Array(1...8))
        #expect(list.status["complete"].boolean == true && list.status["phase"].string == "idle")
        let pushes = try theatre.pushes()
        #expect(
            pushes.flatMap { $0["items"].array.compactMap { $0["id"].integer } } == Array(1...8))
        #expect(pushes.filter { $0["status", "phase"].string == "loading" }.count == 3)
        try theatre.checkSecrecy()
    }

    @Test(arguments: ["limited=1", "status=500", "status=503", "cut", "reset", "nothing"])
    func `that fail once are asked for again, and nobody is told`(step: String) throws {
        let theatre = try Theatre(step, "page")
        #expect(try theatre.more()["result", "total"].integer == 3)
        #expect(try theatre.pushes().map { $0["status", "phase"].string } == ["loading", "idle"])
        let stats = try theatre.client.ask("stats")["result", "movies"]
        #expect(stats["retries"].integer == 1)
        try theatre.checkSecrecy()
    }

    @Test(arguments: ["bare_gzip", "zipped", "chunked", "interim"])
    func `come however they are packed`(step: String) throws {
        let theatre = try Theatre(step)
        #expect(try theatre.more()["result", "total"].integer == 3)
        try theatre.checkSecrecy()
    }

    @Test(
        arguments: [
            ("limited=1", "upstream_failed", "asked too often", 1_000),
            ("status=500:{\"status_code\":11}", "upstream_failed", "HTTP 500, code 11", nil),
            ("cut", "upstream_failed", "broke before the answer was complete", nil),
            ("html", "upstream_failed", "a web page instead of JSON", nil),
            ("json={\"page\":1}", "upstream_failed", "not the page 2", nil),
            ("empty", "upstream_failed", "an empty answer", nil),
            ("damaged_gzip", "upstream_failed", "decompressed", nil),
            (
                "status=401:{\"status_code\":7}", "upstream_failed",
                "refused the v3 key from TMDB_API_KEY", nil
            ),
            ("status=404:{\"status_code\":34}", "not_found", "no such list", nil),
            ("status=422", "end_of_list", "", nil),
        ] as [(String, String, String, Int?)])
    func `that keep failing are an error, which the next page ends`(
        step: String, reason: String, says: String, retryAfter: Int?
    ) throws {
        // Four tries at most, for what may pass.
        let isTransient = ["limited=1", "cut"].contains(step) || step.hasPrefix("status=500")
        let steps = Array(repeating: step, count: isTransient ? 4 : 1)
        let theatre = try Theatre(steps: ["page"] + steps + ["page"])
        #expect(try theatre.more()["result", "total"].integer == 3)
        _ = try theatre.pushes()
        let reply = try theatre.more()
        #expect(reply.reason == reason)
        #expect(reply["error", "data", "retryable"].boolean == (reason == "upstream_failed"))
        #expect(reply["error", "data", "retry_after_ms"].integer == retryAfter)
        let message = try #require(reply["error", "message"].string)
        #expect(message.contains(says))
        let pushes = try theatre.pushes()
        #expect(pushes.count == 2 && pushes.allSatisfy { $0["items"].array.isEmpty })
        let list = try theatre.client.wholeList()
        #expect(list.movies == [1, 2, 3])
        if reason == "end_of_list" {
            #expect(list.status["complete"].boolean == true)
        } else {
            // The list stays as it was, with the error for all to see.
            #expect(pushes.last?["status"] == list.status)
            #expect(list.status["phase"].string == "error")
            #expect(list.status["message"].string == message)
            #expect(try theatre.more()["result", "total"].integer == 5)
            #expect(try theatre.client.wholeList().status["phase"].string == "idle")
        }
        try theatre.checkSecrecy()
    }

    @Test func `that never come hold nobody up, and end with the daemon`() throws {
        let theatre = try Theatre("hang")
        let waiting = try theatre.daemon.connect()
        try waiting.send("more", "ping")
        while try theatre.pushes().last?["status", "phase"].string != "loading" {
            try theatre.client.send("ping")
            _ = try theatre.client.line()
        }
        for _ in 0..<200 { #expect(try theatre.client.ask("ping")["result"] != .null) }
        #expect(!waiting.isReadable)
        theatre.daemon.signal(SIGTERM)
        let last = try waiting.allLines().map(JSON.init(parsing:))
        #expect(last.first?.reason == "shutting_down")
        #expect(theatre.daemon.waitForExit() == 0)
    }
}
