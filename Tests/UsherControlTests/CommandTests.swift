// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import TestSupport
internal import Testing
internal import UsherControl

/// The real program against the real daemon, its output in pipes.
@Suite struct CommandTests {
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon(RunningDaemon.demo + ["--own-user", "0"], store: "memory")
    }

    @Test func `The user is shown as fields parted by tabs`() throws {
        let initial = try daemon.control("user")
        #expect(initial.output == "initial\t\t\t\t\n")
        #expect(initial.errors.contains("usherctl user fetch"))
        #expect(initial.status == 0)

        let fetched = try daemon.control("user", "fetch")
        #expect(fetched.output.hasPrefix("loaded\t0\t"))
        #expect(fetched.errors == "")

        let renamed = try daemon.control("user", "rename", "새 이름")
        #expect(renamed.output.split(separator: "\t")[2] == "새 이름")
        #expect(try daemon.control("user").output == renamed.output)
    }

    @Test func `With --json the user is one document`() throws {
        #expect(try daemon.control("user", "--json").output == "{\"state\":\"initial\"}\n")
        let name = try JSON(parsing: daemon.control("user", "fetch", "--json").output)
        #expect(name["state"] == .string("loaded"))
        #expect(name["user", "id"].integer == 0)
    }

    @Test func `An empty list says how to get its first page`() throws {
        let outcome = try daemon.control("movies")
        #expect(
            outcome
                == Outcome(
                    output: "",
                    errors: "usherctl: the list popular is empty; get its first page with: "
                        + "usherctl movies more\n", status: 0))
    }

    @Test func `Pages are appended, and the list is shown whole or up to a limit`() throws {
        let first = try daemon.control("movies", "more")
        let second = try daemon.control("movies", "more")
        #expect(first.lines.count == 20)
        #expect(
            first.lines.allSatisfy {
                $0.split(separator: "\t", omittingEmptySubsequences: false).count == 4
            })
        let all = try daemon.control("movies")
        #expect(all.output == first.output + second.output)
        #expect(all.errors == "")
        #expect(try daemon.control("movies", "--limit", "3").lines == Array(first.lines.prefix(3)))

        let json = try JSON(parsing: daemon.control("movies", "--json", "--limit", "21").output)
        #expect(json["items"].array.count == 21)
        #expect(json["status", "total"].integer == 40)
    }

    @Test func `A long list is asked for stretch by stretch`() throws {
        var last = try daemon.control("movies", "more")
        while last.status == 0 { last = try daemon.control("movies", "more") }
        #expect(last.status == 1)
        #expect(last.errors.hasSuffix("(end_of_list)\n"))
        let client = try daemon.connect()
        let total = try client.ask("movies")["result", "total"].integer
        #expect(try daemon.control("movies").lines.count == total)
    }

    @Test func `A refresh is started and not waited for`() throws {
        _ = try daemon.control("movies", "more")
        #expect(try daemon.control("movies", "refresh").output == "popular\tloading\t20\t1\t6\n")
    }

    @Test func `Ping, stats and call tell what the daemon does`() throws {
        let ping = try JSON(parsing: daemon.control("ping", "--json").output)
        #expect(ping["version"] == .string("0.1.0"))
        #expect(ping["uptime_ms"].integer != nil)
        #expect(try daemon.control("stats").lines.contains("clients.connected\t1"))
        #expect(try daemon.control("call", "sync").output == "{}\n")
        let movies = try daemon.control("call", "movies.get", "{\"offset\": 0,\n\"limit\": 1}")
        #expect(try JSON(parsing: movies.output)["list"] == .string("popular"))
    }

    @Test func `What the daemon refuses ends with 1 and its reason`() throws {
        let outcome = try daemon.control("movies", "--list", "nope")
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("usherctl: "))
        #expect(outcome.errors.hasSuffix("(not_found)\n"))
        #expect(try daemon.control("watch", "movies/nope").status == 1)
        #expect(try daemon.control("call", "nope").errors.hasSuffix("(unknown_method)\n"))
    }

    @Test func `A command line without sense ends with 64, before any daemon is asked`() throws {
        for arguments in [["moveis"], ["user", "--limit", "1"], ["ping", "--no-such"]] {
            let control = try RunningControl(["--socket", "/nonexistent/s"] + arguments)
            #expect(control.waitForExit() == 64)
            #expect(control.errors.waitForEnd().hasPrefix("usherctl: "))
        }
        let call = try daemon.control("call", "movies.get", "[]")
        #expect(call.status == 64)
    }

    @Test func `A daemon that does not answer ends with 75`() throws {
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        for command in ["ping", "watch"] {
            let outcome = try daemon.control(command, "--timeout", "0.2")
            #expect(outcome.status == 75)
            #expect(outcome.errors.contains("within 0.2 s"))
        }
    }

    @Test func `Without a daemon all commands end with 2`() throws {
        daemon.kill()
        for command in ["user", "movies", "watch", "ping", "stats"] {
            let outcome = try daemon.control(command)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("start usherd"))
        }
        #expect(try Outcome(["ping"], environment: ["USHER_SOCKET": "/nonexistent/s"]).status == 2)
    }

    @Test func `The socket comes from USHER_SOCKET when no option names it`() throws {
        #expect(try Outcome(["ping"], environment: ["USHER_SOCKET": daemon.socketPath]).status == 0)
    }

    @Test func `Help and version go to standard output and need no daemon`() throws {
        #expect(try Outcome(["--version"]).output == "usherctl 0.1.0\n")
        let help = try Outcome(["help", "movies", "more"])
        #expect(help.output.hasPrefix("usage: usherctl movies more"))
        #expect(help.errors == "")
        #expect(help.status == 0)
    }
}

@Suite struct FailingServiceTests {
    @Test func `A state that is an error ends with 3, and the fetch that failed with 1`() throws {
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "0", "--demo-failure-rate", "1"], store: "memory")
        let fetch = try daemon.control("user", "fetch")
        #expect(fetch.status == 1)
        #expect(fetch.errors.hasSuffix("(upstream_failed)\n"))
        let user = try daemon.control("user")
        #expect(user.status == 3)
        #expect(user.output == "error\t\t\t\t\n")
        let json = try daemon.control("user", "--json")
        #expect(json.status == 3)
        #expect(try JSON(parsing: json.output)["state"] == .string("error"))
    }
}
