// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// Requests that come while an answer is on its way: who gets what, and that no two generations of a list mix.
@Suite(.timeLimit(.minutes(5))) struct `While a page is on its way` {
    /// Requests in JSON, which unlike typed words do not wait for the answer before them.
    private let more = #"{"id":"more","method":"movies.fetch"}"#
    private let ping = #"{"id":"ping","method":"ping"}"#

    @Test func `all who want more get the same page, of one request`() throws {
        let theatre = try Theatre("gated=page", "page")
        let clients = try (0..<8).map { _ in try theatre.daemon.connect() }
        for client in clients { try client.send(more, more.replacing("more\"", with: "2\""), ping) }
        // The last of each is answered, so the daemon has read them all.
        for client in clients { #expect(try client.json()["id"].string == "ping") }
        try theatre.waitForRequests(1)
        #expect(try theatre.requests().count == 1)
        try theatre.openGate()
        for client in clients {
            for _ in 0..<2 {
                let page = try client.json()["result"]
                #expect(page["offset"].integer == 0 && page["items"].array.count == 3)
            }
        }
        #expect(try theatre.requests().count == 1)
        #expect(try theatre.client.wholeList().movies == [1, 2, 3])
    }

    @Test func `a refresh waits for it, and the list begins anew after it`() throws {
        let theatre = try Theatre("page", "gated=page", "later=100")
        _ = try theatre.more()
        _ = try theatre.pushes()
        let other = try theatre.daemon.connect()
        try other.send("more")
        try theatre.waitForRequests(2)
        // Two of them, as a list that is pulled down twice sends.
        for _ in 0..<2 { _ = try theatre.client.ask("refresh") }
        #expect(try theatre.client.wholeList().movies == [1, 2, 3])
        try theatre.openGate()
        #expect(try other.json()["result", "total"].integer == 5)
        let pushes = try theatre.pushes { $0["op"].string == "reset" }
        let films = pushes.map { $0["items"].array.compactMap { $0["id"].integer } }
        #expect(films.filter { !$0.isEmpty } == [[4, 5], [101, 102, 103]])
        #expect(try theatre.client.wholeList().movies == [101, 102, 103])
        #expect(try theatre.requests().count == 3)
        #expect(try theatre.requests().map { $0.contains("page=2") } == [false, true, false])
    }

    @Test func `of a refresh, who wants more gets the new list's`() throws {
        let theatre = try Theatre("page", "gated=later=100", "later=100")
        _ = try theatre.more()
        _ = try theatre.client.ask("refresh")
        try theatre.waitForRequests(2)
        let other = try theatre.daemon.connect()
        try other.send(more, ping)
        #expect(try other.json()["id"].string == "ping")
        try theatre.openGate()
        #expect(
            try other.json()["result", "items"].array.map { $0["id"].integer } == [101, 102, 103])
        #expect(try theatre.more()["result", "items"].array.map { $0["id"].integer } == [104, 105])
        #expect(try theatre.client.wholeList().movies == [101, 102, 103, 104, 105])
        #expect(try theatre.requests().count == 3)
    }

    @Test func `lists do not wait for each other, whichever answer comes first`() throws {
        let theatre = try Theatre("gated=later=100", "later=200")
        let other = try theatre.daemon.connect()
        try other.send("more list=popular")
        try theatre.waitForRequests(1)
        try theatre.client.send("more list=top_rated")
        #expect(try theatre.client.json()["result", "items"].array.first?["id"].integer == 201)
        try theatre.openGate()
        #expect(try other.json()["result", "items"].array.first?["id"].integer == 101)
    }

    @Test func `who asked for it may go: that is no error`() throws {
        let theatre = try Theatre("gated=page", "page")
        let other = try theatre.daemon.connect()
        try other.send("more")
        try theatre.waitForRequests(1)
        other.close()
        _ = try theatre.client.ask("ping")
        try theatre.openGate()
        let pushes = try theatre.pushes { $0["status", "phase"].string == "idle" }
        #expect(!pushes.contains { $0["status", "phase"].string == "error" })
        #expect(try theatre.client.wholeList().movies == [1, 2, 3])
    }

    @Test func `a reload changes nothing about it, and the next one is asked for anew`() throws {
        let theatre = try Theatre("gated=page", "page")
        let other = try theatre.daemon.connect()
        try other.send("more")
        try theatre.waitForRequests(1)
        theatre.daemon.signal(SIGHUP)
        #expect(theatre.daemon.log.wait(for: "reloaded"))
        try theatre.client.send(more, ping)
        #expect(try theatre.client.json()["id"].string == "ping")
        try theatre.openGate()
        #expect(try other.json()["result", "total"].integer == 3)
        #expect(try theatre.client.json()["result", "total"].integer == 3)
        #expect(try theatre.more()["result", "total"].integer == 5)
        #expect(try theatre.requests().count == 2)
    }

    @Test func `of a user, all who fetch get the same answer, of one request`() throws {
        let token = HTTPTestServer.makeToken()
        let address = HTTPTestServer.shared.address("gated=user", token: token)
        let daemon = try RunningDaemon(["--users", "http:\(address)"])
        let clients = try (0..<8).map { _ in try daemon.connect() }
        for client in clients { try client.send(#"{"id":1,"method":"user.fetch"}"#, ping) }
        for client in clients { #expect(try client.json()["id"].string == "ping") }
        try HTTPTestServer.shared.openGate(token: token)
        for client in clients {
            #expect(try client.json()["result", "state", "user", "name"].string == "Ann Example")
        }
        #expect(try HTTPTestServer.shared.requests(token: token).count == 1)
    }
}
