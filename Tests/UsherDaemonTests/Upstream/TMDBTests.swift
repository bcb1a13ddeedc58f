// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Movies from TMDB` {
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
                "status=401:{\"status_code\":7}", "upstream_auth",
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
        // What is not there is asked for again after a time, which is short here.
        let theatre = try Theatre(["page"] + steps + ["page"], limits: ["missing_ms=1"])
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
            let hasRecovered = try eventually { try theatre.more()["result", "total"].integer == 5 }
            #expect(hasRecovered)
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
