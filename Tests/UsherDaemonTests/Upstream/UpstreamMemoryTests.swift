// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `What a service said` {
    @Test func `is not sent again while it holds`() throws {
        let theatre = try Theatre("tagged=100")
        _ = try theatre.more()
        let first = try theatre.client.wholeList().movies
        _ = try theatre.client.ask("refresh")
        _ = try theatre.pushes { $0["op"].string == "reset" }
        #expect(try theatre.client.wholeList().movies == first)
        let counters = try theatre.counters()
        #expect(counters["responses", "304"].integer == 1)
        #expect(counters["unchanged"].integer == 1)
    }

    @Test func `is the end of the list, and no further page is asked for`() throws {
        let theatre = try Theatre("page")
        for _ in 0..<3 { _ = try theatre.more() }
        for _ in 0..<10 { #expect(try theatre.more().reason == "end_of_list") }
        #expect(try theatre.requests().count == 3)
    }

    @Test func `is put right or left out where it is odd, and counted by kind`() throws {
        let rows = [
            #"{"id":1,"title":"a","release_date":"soon","poster_path":"/../x.jpg"}"#,
            #"{"id":1,"title":"a again"}"#, #"{"id":2,"title":"b","release_date":""}"#,
            #"{"id":3}"#, "null",
        ]
        let page = #"{"page":1,"total_pages":1,"results":[\#(rows.joined(separator: ","))]}"#
        let theatre = try Theatre("json=\(page)")
        _ = try theatre.more()
        #expect(try theatre.client.wholeList().movies == [1, 2])
        let counters = try theatre.counters()
        #expect(counters["dropped_rows"].integer == 2)
        #expect(counters["repaired_fields"].integer == 2)
        #expect(counters["duplicate_rows"].integer == 1)
    }

    @Test func `of a user whom it does not have is not asked for again at once`() throws {
        let token = HTTPTestServer.makeToken()
        let address = HTTPTestServer.shared.address("user", token: token)
        let daemon = try RunningDaemon(["--users", "http:\(address)"])
        let client = try daemon.connect()
        for _ in 0..<5 { #expect(try client.ask("fetch user=99").reason == "not_found") }
        #expect(try HTTPTestServer.shared.requests(token: token).count == 1)
        #expect(try client.ask("stats")["result", "users", "remembered"].integer == 4)
    }
}
