// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What a cursor is good for: each outcome of `since` that the protocol knows.
@Suite(.timeLimit(.minutes(5))) struct `A cursor` {
    private func subscribe(
        _ topic: String, since: String, _ client: LineClient, mode: String = "latest"
    ) throws -> JSON {
        try client.ask(
            #"{"id":1,"method":"subscribe","params":{"topic":"\#(topic)","as":"x","since":"\#(since)","mode":"\#(mode)"}}"#
        )["result"]
    }

    @Test func `of now goes on with nothing to tell`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("fetch")
        _ = try client.ask("more")
        for topic in ["user", "movies", "engine"] {
            let cursor = try #require(
                try daemon.connect().ask("watch \(topic)")["result", "cursor"].string)
            let other = try daemon.connect()
            let result = try subscribe(topic, since: cursor, other)
            #expect(result["recovered"].boolean == true)
            #expect(result["reason"] == .null && result["snapshot"] == .null)
            #expect(result["cursor"].string == cursor)
            #expect(try other.ask("sync")["result"] == .object([:]))
        }
    }

    @Test func `goes on over a restart, by any way of ending`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("fetch")
        let cursor = try #require(try client.ask("rename Ada")["result", "cursor"].string)
        _ = try client.ask("rename Bea")
        for isKilled in [true, false] {
            if isKilled { daemon.kill() } else { #expect(daemon.terminate() == 0) }
            try daemon.restart()
            let other = try daemon.connect()
            let result = try subscribe("user", since: cursor, other, mode: "all")
            #expect(result["recovered"].boolean == true)
            let push = try other.json()["params"]
            #expect(push["data", "user", "name"].string == "Bea")
            #expect(push["prev"].string == cursor)
            try other.send(#"{"id":2,"method":"sync"}"#)
            #expect(try other.json()["id"].integer == 2)
        }
    }

    @Test func `of a history that was lost gets the reason and a snapshot`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("fetch")
        let cursor = try #require(try client.ask("rename Ada")["result", "cursor"].string)
        daemon.kill()
        for file in try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
        where file.contains(".db") {
            try FileManager.default.removeItem(atPath: daemon.folder.path + "/" + file)
        }
        try daemon.restart()
        for topic in ["user", "movies", "engine"] {
            let result = try subscribe(topic, since: cursor, daemon.connect())
            #expect(result["recovered"].boolean == false)
            #expect(result["reason"].string == "epoch_changed")
            #expect(result["cursor"].string?.hasPrefix(cursor.prefix(16)) == false)
        }
        let result = try subscribe("user", since: cursor, daemon.connect())
        #expect(result["snapshot"] == .object(["state": .string("initial")]))
    }

    @Test func `of a time to come is ahead`() throws {
        let daemon = try RunningDaemon()
        let cursor = try #require(try daemon.connect().ask("fetch")["result", "cursor"].string)
        for topic in ["user", "movies", "engine"] {
            let result = try subscribe(
                topic, since: cursor.prefix(17) + "18446744073709551615", daemon.connect())
            #expect(result["reason"].string == "ahead")
            #expect(result["snapshot"] != .null || topic == "engine")
        }
    }

    @Test func `of more transitions ago than are remembered is too old`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let client = try daemon.connect()
        let cursor = try #require(try client.ask("fetch")["result", "cursor"].string)
        for index in 0..<1_000 {
            try client.send(#"{"method":"user.rename","params":{"name":"n\#(index)"}}"#)
        }
        _ = try client.ask("ping")
        for mode in ["latest", "all"] {
            let result = try subscribe("user", since: cursor, daemon.connect(), mode: mode)
            #expect(result["reason"].string == "too_old")
            #expect(result["snapshot", "user", "name"].string == "n999")
        }
    }

    @Test
    func `of 200 transitions ago brings each of them, or the newest and how many came before`()
        throws
    {
        let daemon = try RunningDaemon(store: "memory")
        let client = try daemon.connect()
        let cursor = try #require(try client.ask("fetch")["result", "cursor"].string)
        for index in 0..<200 {
            try client.send(#"{"method":"user.rename","params":{"name":"n\#(index)"}}"#)
        }
        _ = try client.ask("ping")
        let all = try daemon.connect()
        #expect(try subscribe("user", since: cursor, all, mode: "all")["recovered"].boolean == true)
        for index in 0..<200 {
            #expect(try all.json()["params", "data", "user", "name"].string == "n\(index)")
        }
        let latest = try daemon.connect()
        #expect(try subscribe("user", since: cursor, latest)["recovered"].boolean == true)
        let push = try latest.json()["params"]
        #expect(push["skipped"].integer == 199)
        #expect(push["prev"].string == cursor)
        #expect(push["data", "user", "name"].string == "n199")
    }

    @Test func `of before a refresh gets the new list`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let cursor = try #require(try client.ask("more")["result", "cursor"].string)
        _ = try client.ask("watch movies")
        _ = try client.ask("refresh")
        while try client.json()["params", "data", "op"].string != "reset" {}
        let result = try subscribe("movies", since: cursor, daemon.connect())
        #expect(result["reason"].string == "list_reset")
        #expect(result["snapshot", "op"].string == "reset")
        #expect(result["snapshot", "items"].array.count == 20)
    }

    @Test func `of some pages ago brings the pages since`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let cursor = try #require(try client.ask("more")["result", "cursor"].string)
        _ = try client.ask("more")
        _ = try client.ask("more")
        daemon.kill()
        try daemon.restart()
        let other = try daemon.connect()
        #expect(try subscribe("movies", since: cursor, other)["recovered"].boolean == true)
        let push = try other.json()["params"]
        #expect(push["data", "at"].integer == 20)
        #expect(push["data", "items"].array.count == 40)
        #expect(push["prev"].string == cursor)
    }

    @Test func `of the engine's earlier life is too old`() throws {
        let daemon = try RunningDaemon()
        let cursor = try #require(
            try daemon.connect().ask("watch engine")["result", "cursor"].string)
        try daemon.restart()
        let result = try subscribe("engine", since: cursor, daemon.connect())
        #expect(result["reason"].string == "too_old")
        #expect(result["snapshot", "event"].string == "start")
        #expect(result["snapshot", "phase"].string == "did")
    }

    @Test func `of a state that was not kept is followed by one that is`() throws {
        let daemon = try RunningDaemon([
            "--users", "demo", "--demo-delay", "30", "--demo-failure-rate", "0",
        ])
        let client = try daemon.connect()
        let loading = try client.ask("fetch wait=false")["result"]
        #expect(loading["state", "state"].string == "loading")
        let cursor = try #require(loading["cursor"].string)
        try daemon.restart()
        let other = try daemon.connect()
        #expect(try subscribe("user", since: cursor, other)["recovered"].boolean == true)
        #expect(try other.json()["params", "data", "state"].string == "initial")
    }

    @Test func `is there from the first moment, before anything was fetched`() throws {
        let client = try RunningDaemon().connect()
        let user = try client.ask("watch user")["result"]
        #expect(user["snapshot"] == .object(["state": .string("initial")]))
        #expect(user["reason"].string == "no_cursor")
        let movies = try client.ask("watch movies")["result", "snapshot"]
        #expect(movies["items"] == .array([]))
        #expect(movies["status", "phase"].string == "idle")
    }

    @Test func `is the same for every subscriber of a change, each told once`() throws {
        let daemon = try RunningDaemon()
        let watchers = try (0..<20).map { index in
            let watcher = try daemon.connect()
            _ = try watcher.ask(
                "subscribe topic=user mode=\(index % 2 == 0 ? "all" : "latest") as=w\(index)")
            _ = try watcher.ask("subscribe topic=user as=again")
            return watcher
        }
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        let renamed = try writer.ask("rename Ada")["result", "cursor"].string
        for (index, watcher) in watchers.enumerated() {
            try watcher.send(#"{"id":"end","method":"sync"}"#)
            var told: [String: [String]] = [:]
            while true {
                let line = try watcher.json()
                if line["id"].string == "end" { break }
                let name = try #require(line["params", "as"].string)
                told[name, default: []].append(try #require(line["params", "cursor"].string))
            }
            // Loading, loaded, renamed: three revisions, each once to each of both subscriptions.
            #expect(told.keys.sorted() == ["again", "w\(index)"].sorted())
            for cursors in told.values {
                #expect(cursors.count == 3 && Set(cursors).count == 3)
                #expect(cursors.last == renamed)
            }
        }
    }
}
