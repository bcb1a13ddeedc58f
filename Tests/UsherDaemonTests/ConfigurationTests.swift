// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UsherOptions
import UsherUpstream
import UsherWire

@testable import UsherDaemon

/// Files of a configuration in a folder of their own.
private final class Files {
    let folder: URL
    var path: String { folder.path + "/usherd.conf" }

    init(_ text: String, _ parts: [String: String] = [:]) throws {
        folder = try temporaryFolder()
        try Data(text.utf8).write(to: folder.appending(path: "usherd.conf"))
        let conf = folder.appending(path: "conf.d")
        try FileManager.default.createDirectory(at: conf, withIntermediateDirectories: true)
        for (name, text) in parts {
            try Data(text.utf8).write(to: conf.appending(path: name))
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func read(_ arguments: String...) throws -> Configuration {
        let source = ConfigurationSource(
            ["usherd", "--config", path] + arguments, environment: ["HOME": "/dev/null"],
            uid: 1_000)
        guard case .serve(let configuration) = try source.read() else {
            throw TestFailure("not a command line that serves")
        }
        return configuration
    }

    /// What is wrong, without the folder.
    func problems() throws -> [String] {
        do {
            _ = try read()
            return []
        } catch let error as ConfigurationError {
            #expect(error.status == 78)
            return error.problems.map { $0.replacing(folder.path + "/", with: "") }
        }
    }
}

struct `A configuration` {
    @Test func `comes from the file, then conf.d by name, then the command line`() throws {
        let files = try Files(
            "socket = /a\nsocket-mode = 0600\ndemo-delay = 1\nadmin-group = adm\n",
            [
                "20.conf": "socket-mode = 0640\n", "10.conf": "socket-mode = 0620\nsocket = /b\n",
                "30.txt": "socket = /never\n", ".40.conf": "socket = /never\n",
            ])
        let configuration = try files.read("--demo-delay", "3")
        #expect(configuration.socketPath == "/b")
        #expect(configuration.socketMode == 0o640)
        #expect(configuration.demoDelaySeconds == 3)
        #expect(configuration.adminGroup == "adm")
    }

    @Test func `may have comments, blanks, CRLF and values with blanks and signs`() throws {
        let files = try Files(
            "# a comment\r\n\r\n  socket=/a b = c#d  \r\n\tlimit = clients=7\r\nlimit=stall_ms=5")
        let configuration = try files.read()
        #expect(configuration.socketPath == "/a b = c#d")
        #expect(configuration.limits.clients == 7)
        #expect(configuration.limits.stallMilliseconds == 5)
    }

    @Test func `with mistakes tells all of them by file and line, with what was meant`() throws {
        let files = try Files(
            "usres = demo\nusers = sql\n\nnonsense\nzzzzzzzzzzzz = 1\nsocket-mode = 9\nusers = demo\n",
            ["x.conf": "limit = clients=0\nsocket = \n"])
        let problems = try files.problems()
        #expect(problems[0] == "usherd.conf:1: there is no setting usres; did you mean users?")
        #expect(problems[1] == "usherd.conf:2: users is nss, http:URL or demo, not sql")
        #expect(problems[2] == "usherd.conf:4: a line is NAME = VALUE, not nonsense")
        #expect(
            problems[3].hasPrefix("usherd.conf:5: there is no setting zzzzzzzzzzzz; there are: "))
        #expect(problems[4] == "usherd.conf:6: socket-mode is an octal mode such as 0660, not 9")
        #expect(problems[5] == "usherd.conf:7: users is set in line 2 already")
        #expect(problems.count == 6)
    }

    @Test func `with a mistake in conf.d names that file`() throws {
        let problems = try Files("", ["x.conf": "\nsokcet = /a\n"]).problems()
        #expect(problems == ["conf.d/x.conf:2: there is no setting sokcet; did you mean socket?"])
    }

    @Test func `that is not text is refused by line`() throws {
        let files = try Files("")
        try Data([0x61, 0x0A, 0xFF, 0x0A]).write(to: URL(filePath: files.path))
        #expect(
            try files.problems() == [
                "usherd.conf:1: a line is NAME = VALUE, not a",
                "usherd.conf:2: the line is not valid UTF-8",
            ])
    }

    @Test func `cannot be what only a command line asks for`() throws {
        #expect(try Files("help = \n").problems().count == 1)
        #expect(try Files("config = /x\n").problems().count == 1)
    }

    @Test func `that was named has to be there, the usual one does not`() throws {
        let missing = ConfigurationSource(
            ["usherd", "-c", "/nonexistent/x"], environment: [:], uid: 1_000)
        let error = #expect(throws: ConfigurationError.self) { try missing.read() }
        #expect(error?.problems == ["/nonexistent/x: there is no such configuration file"])
        #expect(error?.status == 66)
        let usual = ConfigurationSource(
            ["usherd"], environment: ["XDG_CONFIG_HOME": "/nonexistent"], uid: 1_000)
        _ = try usual.read()
    }

    @Test func `of a user is in the user's folder`() throws {
        let folder = try temporaryFolder()
        let own = folder.appending(path: "usher")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        try Data("users = demo\n".utf8).write(to: own.appending(path: "usherd.conf"))
        let source = ConfigurationSource(
            ["usherd"], environment: ["XDG_CONFIG_HOME": folder.path], uid: 1_000)
        guard case .serve(let configuration) = try source.read() else { return }
        #expect(configuration.users == .demo)
    }

    @Test func `has limits for requests to both services, or to one`() throws {
        let files = try Files(
            "upstream-limit = rate=5\nupstream-limit = movies.rate=7\nupstream-limit=retries=0\n")
        let limits = try files.read("--upstream-limit", "users.burst=9").upstreamLimits
        #expect(limits.users.rate == 5 && limits.movies.rate == 7)
        #expect(limits.users.burst == 9 && limits.movies.burst == HTTPLimits().burst)
        #expect(limits.movies.retry.retries == 0)
        #expect(limits.settings.contains("movies.rate=7") && limits.settings.contains("retries=0"))
    }

    @Test(arguments: [
        "rate", "rate=", "rate=0", "rate=x", "rate=10001", "retries=-1", "retries=11", "speed=1",
        "films.rate=1", "users.=1", ".rate=1x", "users.rate", "=5", "", "deadline_ms=3600001",
    ])
    func `with a limit for requests that makes no sense says what does`(text: String) throws {
        let problems = try Files("upstream-limit = \(text)\n").problems()
        #expect(problems.count == 1)
        #expect(problems[0].hasPrefix("usherd.conf:1: upstream-limit"))
        #expect(problems[0].contains("rate") || problems[0].contains("number"))
    }

    @Test(arguments: ["proxy = me", "proxy = http://a:b@h", "proxy =", "ip-version = 5"])
    func `with a way that makes no sense says what does`(line: String) throws {
        let problems = try Files(line + "\n").problems()
        #expect(problems.count == 1 && problems[0].hasPrefix("usherd.conf:1: "))
        #expect(!problems[0].contains("a:b"))
    }

    @Test(arguments: ["busy-poll = -1", "busy-poll = 1001", "busy-poll = 1ms", "busy-poll ="])
    func `with a time to poll that makes no sense says what does`(line: String) throws {
        let problems = try Files(line + "\n").problems()
        #expect(problems.count == 1)
        #expect(problems[0].contains("busy-poll is a whole number from 0 to 1000"))
    }

    @Test func `printed and read again is the same`() throws {
        let files = try Files(
            """
            socket = /s
            socket-mode = 0600
            socket-group = g
            store = sqlite:/x y
            users = http:http://h/u
            own-user = 7
            demo-delay = 0.25
            demo-failure-rate = 0.125
            demo-seed = 9
            movies = tmdb:http://h/m
            tmdb-key-file = /k
            ca-file = /c
            proxy = socks5h://p:1080
            ip-version = 6
            upstream-limit = deadline_ms=900
            upstream-limit = movies.rate=3
            upstream-limit = users.retries=0
            control-group = a
            admin-group = b
            limit = clients=9
            busy-poll = 7
            """)
        let configuration = try files.read()
        let copy = try Files(configuration.asFile)
        #expect(try copy.read() == configuration)
        let defaults = try Files("").read()
        #expect(try Files(defaults.asFile).read() == defaults)
    }
}
