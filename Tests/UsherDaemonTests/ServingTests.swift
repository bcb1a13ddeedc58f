// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A daemon serves` {
    @Test func `the caller's real user by NSS`() throws {
        let daemon = try RunningDaemon([])
        let reply = try daemon.connect().ask("user.fetch")
        let user = reply["result", "state", "user"]
        #expect(reply["id"].integer == 1)
        #expect(reply["result", "state", "state"].string == "loaded")
        #expect(user["id"].integer == Int(getuid()))
        #expect(user["username"].string == NSUserName())
    }

    @Test func `a list that grows page by page for typed words`() throws {
        let client = try RunningDaemon().connect()
        try client.send("movies", "more", "more", "movies limit=100")
        client.finishSending()
        let replies = try client.allLines().map(JSON.init(parsing:))
        #expect(replies.map { $0["result", "total"].integer } == [0, 20, 40, 40])
        #expect(replies.map { $0["result", "items"].array.count } == [0, 20, 20, 40])
        #expect(replies.map { $0["result", "offset"].integer } == [0, 0, 20, 0])
        #expect(replies.map { $0["id"].integer } == [1, 2, 3, 4])
    }

    @Test func `the sample to its end and no further`() throws {
        let client = try RunningDaemon().connect()
        var total = 0
        var ids: Set<Int> = []
        for page in 1...20 {
            let reply = try client.ask("more")
            guard reply["result"] != .null else {
                #expect(reply.reason == "end_of_list")
                break
            }
            #expect(reply["result", "status", "page"].integer == page)
            for movie in reply["result", "items"].array {
                #expect(ids.insert(movie["id"].integer ?? 0).inserted)
                total += 1
            }
            #expect(reply["result", "total"].integer == total)
        }
        #expect((90...110).contains(total))
        let list = try client.ask("movies")
        #expect(list["result", "complete"].boolean == true)
        #expect(list["result", "total"].integer == total)
    }

    @Test func `pages of a list in one stretch after another`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("more")
        let first = try client.ask("movies limit=15")
        #expect(first["result", "next"].integer == 15)
        let rest = try client.ask("movies offset=15 limit=15")
        #expect(rest["result", "items"].array.count == 5)
        #expect(rest["result", "next"] == .null)
        let beyond = try client.ask("movies offset=1000")
        #expect(beyond["result", "items"].array.isEmpty)
    }

    @Test func `a page that is there without fetching it, and none out of order`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("more page=1")
        let again = try client.ask("more page=1")
        #expect(again["result", "items"].array.isEmpty)
        #expect(again["result", "total"].integer == 20)
        let far = try client.ask("more page=4")
        #expect(far.reason == "out_of_range")
        #expect(far["error", "data", "path"].string == "/params/page")
    }

    @Test func `a refresh that starts over and tells the list's watchers`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("more")
        _ = try client.ask("more")
        let watcher = try daemon.connect()
        let snapshot = try watcher.ask("watch movies")
        #expect(snapshot["result", "snapshot", "items"].array.count == 40)
        #expect(try client.ask("refresh")["result", "status", "phase"].string == "loading")
        let loading = try watcher.json()
        #expect(loading["params", "data", "status", "phase"].string == "loading")
        #expect(loading["params", "data", "status", "total"].integer == 40)
        let reset = try watcher.json()
        #expect(reset["params", "data", "op"].string == "reset")
        #expect(reset["params", "data", "items"].array.count == 20)
        #expect(reset["params", "prev"] == loading["params", "cursor"])
    }

    @Test func `an unknown list or user with what there is`() throws {
        let client = try RunningDaemon([]).connect()
        let list = try client.ask("movies list=horror")
        #expect(list.reason == "not_found")
        #expect(list["error", "message"].string?.contains("popular") == true)
        #expect(try client.ask("fetch user=4000000000").reason == "not_found")
        #expect(try client.ask("watch movies/horror").reason == "unknown_topic")
    }

    @Test func `its version, limits and role to those who say hello`() throws {
        let client = try RunningDaemon().connect()
        let hello = try client.ask(
            #"{"id":"h","method":"hello","params":{"client":{"name":"t","version":"1"},"protocol":1}}"#
        )
        #expect(hello["id"].string == "h")
        #expect(hello["result", "server", "name"].string == "usherd")
        #expect(hello["result", "protocol"].integer == 1)
        #expect(hello["result", "epoch"].string?.count == 16)
        #expect(hello["result", "role"].string == "admin")
        #expect(hello["result", "limits", "line_bytes"].integer == 65_536)
        #expect(hello["result", "limits", "clients"].integer == 4_096)
        let clients = try client.ask("clients")
        #expect(clients["result", "items"][0]["name"].string == "t")
        #expect(clients["result", "items"][0]["pid"].integer == Int(getpid()))
    }

    @Test func `counters that count`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        _ = try client.ask("rename Ada")
        _ = try client.ask("nonsense")
        let stats = try client.ask("stats")["result"]
        #expect(stats["requests", "started"].integer == 4)
        #expect(stats["requests", "errors", "unknown_method"].integer == 1)
        #expect(stats["store", "commits"].integer == 2)
        #expect(stats["clients", "connected"].integer == 1)
    }

    @Test func `one OpenRPC document of every method, or of one`() throws {
        let client = try RunningDaemon().connect()
        let whole = try client.ask("rpc.discover")["result"]
        #expect(whole["openrpc"].string?.hasPrefix("1.") == true)
        let names = whole["methods"].array.compactMap { $0["name"].string }
        #expect(names.contains("user.fetch") && names.contains("engine.stop"))
        let one = try client.ask("rpc.discover method=user.get")["result"]
        #expect(one["methods"].array.map { $0["name"].string } == ["user.get"])
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A rename` {
    @Test func `needs a loaded user`() throws {
        let client = try RunningDaemon().connect()
        let reply = try client.ask("rename Ada")
        #expect(reply["error", "code"].integer == 1001)
        #expect(reply.reason == "invalid_transition")
    }

    @Test func `survives later fetches and kill -9`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("fetch")
        let renamed = try client.ask("rename 새 이름")
        #expect(renamed["result", "state", "user", "name"].string == "새 이름")
        let cursor = renamed["result", "cursor"]
        daemon.kill()
        try daemon.restart()
        let again = try daemon.connect()
        let kept = try again.ask("user")
        #expect(kept["result", "state", "user", "name"].string == "새 이름")
        #expect(kept["result", "cursor"] == cursor)
        let fetched = try again.ask("fetch")
        #expect(fetched["result", "state", "user", "name"].string == "새 이름")
    }

    @Test(arguments: [
        ("", "missing"), ("name=\"\"", "out_of_range"), ("\"  \"", "out_of_range"),
        (String(repeating: "x", count: 81), "out_of_range"),
        ("a\u{202E}b", "out_of_range"), ("a\u{7}b", "out_of_range"),
    ])
    func `is refused with a reason`(name: String, reason: String) throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        #expect(try client.ask("rename \(name)").reason == reason)
        #expect(try client.ask("user")["result", "state", "user", "name"].string != name)
    }

    @Test func `of eighty characters is taken, whatever their bytes`() throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        let name = String(repeating: "이", count: 80)
        let reply = try client.ask("rename \(name)")
        #expect(reply["result", "state", "user", "name"].string == name)
    }
}
