// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import TestSupport
internal import Testing
internal import UsherControl

@Suite struct WatchTests {
    @Test func `The present state comes first, then each change as it is made`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("fetch")
        let watch = try RunningControl(["-s", daemon.socketPath, "watch"])
        #expect(watch.output.wait(for: "user\tloaded\t0\t"))
        #expect(watch.output.wait(for: "movies\tidle\t0\t0\t0\n"))
        _ = try client.ask("rename 새 이름")
        #expect(watch.output.wait(for: "user\tloaded\t0\t새 이름\t"))
        _ = try client.ask("more")
        #expect(watch.output.wait(for: "movies\tidle\t20\t1\t6\n"))
        #expect(watch.output.text.components(separatedBy: "movies\tmovie\t").count == 21)
        _ = try client.ask("more")
        #expect(watch.output.wait(for: "movies\tidle\t40\t2\t6\n"))
        _ = try client.ask("refresh")
        #expect(watch.output.wait(for: "movies\treset\n"))
        // A shell shows this as 130.
        watch.signal(SIGINT)
        #expect(watch.waitForExit() == -SIGINT)
        #expect(watch.errors.waitForEnd() == "")
    }

    @Test func `With --json each event is one line, as the protocol has its data`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let watch = try RunningControl(["-s", daemon.socketPath, "watch", "user", "--json"])
        #expect(watch.output.wait(for: "{\"topic\":\"user\",\"data\":{\"state\":\"initial\"}}\n"))
        _ = try client.ask("fetch")
        _ = try client.ask("rename Ada")
        #expect(watch.output.wait(for: "\"name\":\"Ada\""))
        for line in watch.output.text.split(separator: "\n") {
            #expect(try JSON(parsing: String(line))["topic"] == .string("user"))
        }
    }

    @Test func `A restart of the daemon is told on stderr, and nothing is missed or repeated`()
        throws
    {
        let daemon = try RunningDaemon()
        let before = try daemon.connect()
        _ = try before.ask("fetch")
        let watch = try RunningControl(["-s", daemon.socketPath, "watch", "user"])
        #expect(watch.output.wait(for: "user\tloaded\t"))
        _ = try before.ask("rename before")
        #expect(watch.output.wait(for: "before"))
        try daemon.restart()
        _ = try daemon.connect().ask("rename after")
        #expect(watch.output.wait(for: "after"))
        #expect(watch.errors.wait(for: "the daemon is back\n"))
        let names = watch.output.text.split(separator: "\n").map { $0.split(separator: "\t")[3] }
        #expect(names.suffix(2) == ["before", "after"])
        #expect(names.count == 3)
        let notes = watch.errors.text.split(separator: "\n")
        #expect(notes.count == 2)
        #expect(notes.first?.hasSuffix("waiting for it to come back") == true)
    }

    @Test func `With --no-reconnect the end of the daemon is the end with 2`() throws {
        let daemon = try RunningDaemon()
        let watch = try RunningControl(["-s", daemon.socketPath, "watch", "--no-reconnect"])
        #expect(watch.output.wait(for: "movies\tidle"))
        daemon.kill()
        #expect(watch.waitForExit() == 2)
    }

    @Test func `When the reader of its output goes, it ends quietly and at once`() throws {
        let daemon = try RunningDaemon()
        let program = try product("usherctl").path
        let shell = try ChildProcess(
            "/bin/bash",
            [
                "-c",
                "'\(program)' -s \(daemon.socketPath) watch user | head -n 1; exit ${PIPESTATUS[0]}",
            ], environment: ["PATH": "/usr/bin:/bin"])
        #expect(shell.waitForExit() == 128 + SIGPIPE)
        #expect(shell.log.waitForEnd() == "")
    }

    @Test func `The daemon's own life can be watched`() throws {
        let daemon = try RunningDaemon()
        let watch = try RunningControl(["-s", daemon.socketPath, "watch", "engine", "user"])
        #expect(watch.output.wait(for: "user\tinitial\n"))
        let stop = try daemon.control("call", "engine.stop")
        #expect(stop == Outcome(output: "{}\n", status: 0))
        #expect(watch.output.wait(for: "engine\tstop\twill\t"))
        #expect(watch.output.wait(for: "engine\tstop\tdid\t"))
    }
}
