// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing
internal import UsherControl
internal import UsherOptions

/// What scripts are written with: the status, formats of one's own, and commands for events.
@Suite(.timeLimit(.minutes(5))) struct ScriptingTests {
    @Test func `Without a command the status is shown`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let client = try daemon.connect()
        let before = try daemon.control()
        #expect(before.status == 0)
        #expect(before.lines.count == 3)
        #expect(before.lines[0].hasPrefix("daemon\trunning\tversion "))
        #expect(before.lines[1...] == ["user\tinitial\t", "movies\tidle\t0 movies"])
        _ = try client.ask("fetch")
        _ = try client.ask("rename 새 이름")
        _ = try client.ask("more")
        let after = try daemon.control("status")
        #expect(after.lines[1].hasPrefix("user\tloaded\t새 이름 ("))
        #expect(after.lines[2] == "movies\tidle\t20 movies, page 1 of 6")
        let json = try JSON(parsing: daemon.control("--json").output)
        #expect(json["daemon", "role"].string == "admin")
        #expect(json["user", "user", "name"].string == "새 이름")
        #expect(json["movies", "total"].integer == 20)
    }

    @Test func `A state that is an error is told by the status too`() throws {
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "0", "--demo-failure-rate", "1"], store: "memory")
        _ = try daemon.connect().ask("fetch")
        let outcome = try daemon.control()
        #expect(outcome.status == 3)
        #expect(outcome.lines[1] == "user\terror\t")
        #expect(outcome.errors.contains("the user could not be fetched: "))
    }

    @Test func `Rows are written as a format says`() throws {
        let daemon = try RunningDaemon(store: "memory")
        _ = try daemon.connect().ask("more")
        let movies = try daemon.control("movies", "--limit", "2", "--format", "{id}: {title}\\t|")
        #expect(movies.output == "1: The Godfather\t|\n2: The Shawshank Redemption\t|\n")
        #expect(try daemon.control("user", "-f", "{state}").output == "initial\n")
        let wrong = try daemon.control("movies", "--format", "{name}")
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("there is no {name}; there are {id} {title} {released}"))
    }

    @Test(arguments: [
        ("plain", "plain"), ("{a}", "1"), ("{A}{b}", "12"), ("\\{a}", "{a}"), ("a\\\\b", "a\\b"),
        ("{a}\\n{b}", "1\n2"), ("}", "}"), ("", ""),
    ])
    func `A format is read as it is explained`(format: String, line: String) throws {
        var table = Table([.init("A"), .init("B")])
        table.append(["1", "2"])
        #expect(try RowFormat(format).lines(of: table) == [line])
    }

    @Test func `A command is run for each event, one after another, with the event as its input`()
        throws
    {
        let daemon = try RunningDaemon(store: "memory")
        let client = try daemon.connect()
        let watch = try RunningControl([
            "-s", daemon.socketPath, "watch", "user", "--exec",
            "printf '%s ' \"$USHER_TOPIC\"; cat; exit 7",
        ])
        #expect(
            watch.output.wait(for: "user {\"topic\":\"user\",\"data\":{\"state\":\"initial\"}}\n"))
        _ = try client.ask("fetch")
        _ = try client.ask("rename Ada")
        #expect(watch.output.wait(for: "\"name\":\"Ada\""))
        #expect(watch.errors.wait(for: "usherctl: the command ended with 7"))
        for line in watch.output.text.split(separator: "\n") {
            #expect(line.hasPrefix("user {\"topic\":\"user\""))
        }
    }

    @Test func `A command that reads nothing holds up nobody, however long the event`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let client = try daemon.connect()
        for _ in 0..<5 { _ = try client.ask("more") }
        let watch = try RunningControl([
            "-s", daemon.socketPath, "watch", "movies", "--exec", "echo ran",
        ])
        #expect(watch.output.wait(for: "ran\n"))
        _ = try client.ask("refresh")
        #expect(watch.output.wait(for: "ran\nran\n"))
    }
}
