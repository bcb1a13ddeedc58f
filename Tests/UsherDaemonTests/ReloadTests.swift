// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UsherEventLoop

@testable import UsherDaemon

@Suite(.timeLimit(.minutes(5))) struct `Reading the configuration again` {
    private func write(_ text: String, to daemon: RunningDaemon) throws {
        try Data(text.utf8).write(to: daemon.configurationFile)
    }

    private func movie(_ id: Int) -> String {
        "{\"page\":1,\"total_pages\":1,\"results\":[{\"id\":\(id),\"title\":\"M\(id)\"}]}"
    }

    @Test func `takes over what changed and drops no connection`() throws {
        let folder = try temporaryFolder()
        for id in [1, 2] {
            try Data(movie(id).utf8).write(to: folder.appending(path: "\(id).json"))
        }
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-failure-rate", "0", "--demo-delay", "0"],
            configuration: "movies = file:\(folder.path)/1.json\n")
        let client = try daemon.connect()
        #expect(try client.ask("more")["result", "items"][0]["id"].integer == 1)
        try write("movies = file:\(folder.path)/2.json\nlimit = subscriptions=1\n", to: daemon)
        daemon.signal(SIGHUP)
        #expect(daemon.log.wait(for: "reloaded"))
        _ = try client.ask("refresh")
        var items = try client.ask("movies")["result", "items"]
        while items[0]["id"].integer == 1 { items = try client.ask("movies")["result", "items"] }
        #expect(items[0]["id"].integer == 2)
        #expect(try client.ask("watch user")["result", "as"].string == "user")
        #expect(try client.ask("watch movies").reason == "too_many_subscriptions")
    }

    @Test func `keeps all as it was when a file is wrong, and says where`() throws {
        let daemon = try RunningDaemon(configuration: "limit = subscriptions=1\n")
        let client = try daemon.connect()
        try write("limit = subscriptions=2\nmovise = sample\n", to: daemon)
        daemon.signal(SIGHUP)
        let place = "\(daemon.configurationFile.path):2"
        #expect(
            daemon.log.wait(
                for: "not reloaded, all stays as it was: \(place): there is no setting movise; "
                    + "did you mean movies?"))
        _ = try client.ask("watch user")
        #expect(try client.ask("watch movies").reason == "too_many_subscriptions")
        // Asked again, it says so again.
        daemon.signal(SIGHUP)
        try write("limit = subscriptions=2\n", to: daemon)
        daemon.signal(SIGHUP)
        #expect(daemon.log.wait(for: "notice   reloaded"))
    }

    @Test func `keeps what only a restart can change, and says so`() throws {
        let daemon = try RunningDaemon([], configuration: "users = demo\ndemo-delay = 0\n")
        try write("users = nss\nsocket-mode = 0600\nlimit = subscriptions=1\n", to: daemon)
        daemon.signal(SIGHUP)
        #expect(daemon.log.wait(for: "only a restart changes socket-mode, users: kept as it was"))
        let client = try daemon.connect()
        #expect(try client.ask("hello")["result", "user"].integer == 0)
        _ = try client.ask("watch user")
        #expect(try client.ask("watch movies").reason == "too_many_subscriptions")
    }

    @Test func `changes how long the loop polls`() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "usherd.conf")
        func configure(_ microseconds: Int) throws {
            try Data("busy-poll = \(microseconds)\n".utf8).write(to: file)
        }
        try configure(7)
        let source = ConfigurationSource(
            ["usherd", "--config", file.path, "--store", "memory"], environment: [:], uid: getuid())
        guard case .serve(let configuration) = try source.read() else {
            Issue.record("the configuration is not for serving")
            return
        }
        // Inherited, since to make one of its own a daemon changes the umask of the process.
        let socket = try listeningSocket(at: folder.path + "/s")
        defer { close(socket) }
        let environment = ServiceEnvironment(
            notifySocket: nil, watchdogMicroseconds: nil,
            sockets: [.init(descriptor: socket, name: "test")])
        let loop = try EventLoop()
        let daemon = try Daemon(
            configuration, from: source, in: environment, on: loop, log: Log { _, _ in })
        #expect(loop.busyPollMicroseconds == 7)
        try configure(9)
        daemon.reload()
        #expect(loop.busyPollMicroseconds == 9)
        daemon.end()
    }

    @Test func `is announced to who watches the engine`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("watch engine")
        daemon.signal(SIGHUP)
        #expect(try client.json()["params", "data", "event"].string == "reload")
        #expect(try client.json()["params", "data", "phase"].string == "did")
    }

    @Test func `takes the key that is there now`() throws {
        let server = HTTPTestServer.shared
        let token = HTTPTestServer.makeToken()
        let folder = try temporaryFolder()
        let key = folder.appending(path: "tmdb-api-key")
        let keys = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"]
        try Data((keys[0] + "\n").utf8).write(to: key)
        let daemon = try RunningDaemon(
            ["--movies", "tmdb:" + server.address("page", token: token)],
            environment: ["CREDENTIALS_DIRECTORY": folder.path])
        let client = try daemon.connect()
        #expect(try client.ask("more")["result", "status", "page"].integer == 1)
        try Data((keys[1] + "\n").utf8).write(to: key)
        daemon.signal(SIGHUP)
        #expect(daemon.log.wait(for: "reloaded"))
        #expect(try client.ask("more")["result", "status", "page"].integer == 2)
        let reader = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", "-c",
                "import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode())",
                server.logAddress(token: token),
            ], environment: ["PATH": "/usr/bin:/bin"], logsOutput: true)
        let log = reader.log.waitForEnd()
        for key in keys {
            #expect(log.contains(key))
            #expect(!daemon.log.text.contains(key))
        }
    }
}
