// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A folder for a socket and a store, which goes with this value.
private final class Place {
    let folder: URL
    var socket: String { folder.path + "/s" }

    init() throws { folder = try temporaryFolder() }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The end of a daemon that is not expected to serve: its status and its log.
    func end(of arguments: [String], socket: String? = nil, store: String = "memory") throws -> (
        status: Int32, log: String
    ) {
        let process = try RunningDaemon.launch(
            ["--socket", socket ?? self.socket, "--store", store] + arguments)
        let log = process.log.waitForEnd()
        return (process.waitForExit(), log)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A start` {
    @Test func `of twenty at once gives one daemon, whom the others name`() throws {
        let place = try Place()
        for _ in 0..<3 {
            let starts = try (0..<20).map { _ in
                try RunningDaemon.launch(
                    ["--socket", place.socket, "--store", "sqlite:\(place.folder.path)/usher.db"]
                        + RunningDaemon.demo)
            }
            // Each either serves or ends.
            let serving = starts.filter { $0.log.wait(for: "serving on") }
            try #require(serving.count == 1)
            for other in starts where other !== serving[0] {
                #expect(other.waitForExit() == 69)
                #expect(
                    other.log.text.contains(
                        "another usherd (pid \(serving[0].pid)) serves \(place.socket)"))
            }
            let client = try LineClient(path: place.socket)
            #expect(try client.ask("clients")["result", "total"].integer == 1)
            serving[0].kill()
        }
    }

    @Test func `replaces the socket that kill -9 left`() throws {
        let daemon = try RunningDaemon()
        daemon.kill()
        #expect(FileManager.default.fileExists(atPath: daemon.socketPath))
        #expect(throws: TestFailure.self) { try daemon.connect() }
        try daemon.restart()
        #expect(try daemon.connect().ask("ping")["result"] != .null)
    }

    @Test func `leaves alone what is no socket`() throws {
        let place = try Place()
        try "precious".write(toFile: place.socket, atomically: true, encoding: .utf8)
        let (status, log) = try place.end(of: [])
        #expect(status == 73)
        #expect(log.contains("\(place.socket) is a regular file, not a socket"))
        #expect(try String(contentsOfFile: place.socket, encoding: .utf8) == "precious")
    }

    @Test func `on a path that is too long says so`() throws {
        let place = try Place()
        let path = place.socket + String(repeating: "x", count: 108 - place.socket.utf8.count)
        let (status, log) = try place.end(of: [], socket: path)
        #expect(status == 73)
        #expect(log.contains("108 bytes") && log.contains("at most 107"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).isEmpty)
        // The longest that is allowed.
        let process = try RunningDaemon.launch(
            ["--socket", String(path.dropLast()), "--store", "memory"] + RunningDaemon.demo)
        #expect(process.log.wait(for: "serving on"))
        #expect(try LineClient(path: String(path.dropLast())).ask("ping")["result"] != .null)
    }

    @Test(arguments: [
        (["--nonsense"], 64, "--nonsense"), (["--users"], 64, "users"),
        (["--users", "ldap"], 64, "ldap"),
        (["--movies", "imdb"], 64, "imdb"), (["--limit", "clients"], 64, "clients"),
        (["--limit", "clients=0"], 64, "clients"),
        (["--limit", "flients=1"], 64, "flients"), (["--socket-mode", "rw"], 64, "rw"),
        (["--demo-delay", "-1"], 64, "demo-delay"),
        (["--own-user", "x"], 64, "own-user"), (["serve"], 64, "serve"),
        (["--movies", "tmdb"], 78, "TMDB_API_KEY"),
        (["--users", "http:ftp://x"], 78, "https://"),
        (["--control-group", "no such group"], 78, "no such group"),
        (["--users", "http:x"], 78, "--users"),
        (["--users", "http:http://127.0.0.1:1", "--movies", "tmdb"], 78, "TMDB_API_KEY"),
        (["--movies", "tmdb", "--tmdb-key-file", "/nonexistent"], 78, "/nonexistent"),
    ])
    func `with what it cannot use ends with a status and a line that says why`(
        arguments: [String], expected: Int32, says: String
    ) throws {
        let place = try Place()
        let (status, log) = try place.end(of: arguments)
        #expect(status == expected)
        #expect(log.split(separator: "\n").count == 1)
        #expect(log.contains(says), "\(log)")
        #expect(!FileManager.default.fileExists(atPath: place.socket))
    }

    @Test func `with a store that cannot be read ends, and leaves it alone`() throws {
        let place = try Place()
        let file = place.folder.path + "/usher.db"
        let text = String(repeating: "this is no database\n", count: 100)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let (status, log) = try place.end(of: [], store: "sqlite:\(file)")
        #expect(status == 65)
        #expect(log.contains(file))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        #expect(!FileManager.default.fileExists(atPath: place.socket))
        let (directory, _) = try place.end(of: [], store: "sqlite:\(place.folder.path)")
        #expect(directory == 73)
    }

    @Test func `writes nothing to its standard output`() throws {
        let place = try Place()
        let usherd = try product("usherd").path
        let (output, _) = try shell(
            "timeout 2 \(usherd) --socket \(place.socket) --store memory --users demo 2>/dev/null")
        #expect(output.isEmpty)
        #expect(try shell("\(usherd) --version").output.hasPrefix("usherd 0."))
        let help = try shell("\(usherd) --help")
        #expect(help.status == 0 && help.output.contains("--socket"))
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A stop` {
    @Test(arguments: [SIGTERM, SIGINT])
    func `by a signal is orderly, and takes the socket along`(signal: Int32) throws {
        let daemon = try RunningDaemon()
        daemon.signal(signal)
        #expect(daemon.waitForExit() == 0)
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
        try daemon.restart()
    }

    @Test func `leaves the socket of a successor alone`() throws {
        let daemon = try RunningDaemon()
        try FileManager.default.removeItem(atPath: daemon.socketPath)
        try "not ours".write(toFile: daemon.socketPath, atomically: true, encoding: .utf8)
        #expect(daemon.terminate() == 0)
        #expect(try String(contentsOfFile: daemon.socketPath, encoding: .utf8) == "not ours")
    }

    @Test func `tells watchers of the engine why and when to come back, then ends the stream`()
        throws
    {
        let daemon = try RunningDaemon()
        let watchers = try (0..<5).map { _ in
            let watcher = try daemon.connect()
            #expect(
                try watcher.ask("watch engine")["result", "snapshot", "event"].string == "start")
            return watcher
        }
        let silent = try daemon.connect()
        daemon.signal(SIGTERM)
        var delays: Set<Int> = []
        for watcher in watchers {
            let lines = try watcher.allLines().map(JSON.init(parsing:))
            try #require(lines.count == 1)
            let event = lines[0]["params", "data"]
            #expect(event["event"].string == "stop" && event["phase"].string == "will")
            #expect(event["reason"].string == "SIGTERM")
            delays.insert(try #require(event["reconnect_after_ms"].integer))
        }
        #expect(delays.count > 1)
        #expect(try silent.allLines().isEmpty)
        #expect(daemon.waitForExit() == 0)
    }

    @Test func `comes about whatever clients do`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let idle = try daemon.connect()
        let half = try daemon.connect()
        try half.send(bytes: "pin".utf8)
        let ended = try daemon.connect()
        try ended.send("watch user")
        ended.finishSending()
        // One that asks and never reads. In one piece, since the kernel holds fewer small ones than the daemon leaves.
        let stalled = try daemon.connect()
        _ = try idle.ask("more")
        let request = #"{"id":1,"method":"movies.get"}"# + "\n"
        try stalled.send(bytes: String(repeating: request, count: 500).utf8)
        _ = try idle.ask("ping")
        #expect(daemon.terminate() == 0)
        #expect(try idle.allLines().isEmpty)
    }

    @Test func `asked for over the socket is answered before it comes`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        #expect(try client.ask("engine.stop")["result"] == .object([:]))
        #expect(try client.allLines().isEmpty)
        #expect(daemon.waitForExit() == 0)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A reload` {
    @Test func `that fails leaves everything as it was`() throws {
        let place = try Place()
        let keyFile = place.folder.path + "/key"
        try "0123456789abcdef0123456789abcdef".write(
            toFile: keyFile, atomically: true, encoding: .utf8)
        let server = HTTPTestServer.shared.address("user", token: HTTPTestServer.makeToken())
        let daemon = try RunningDaemon([
            "--users", "http:\(server)", "--movies", "tmdb", "--tmdb-key-file", keyFile,
        ])
        let client = try daemon.connect()
        try FileManager.default.removeItem(atPath: keyFile)
        #expect(try client.ask("engine.reload")["result"] == .object([:]))
        #expect(daemon.log.wait(for: "not reloaded"))
        // The users come from the service that was there before.
        #expect(try client.ask("fetch")["result", "state", "user", "name"].string == "Ann Example")
    }
}
