// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The command line of usherd` {
    private func run(_ arguments: String...) throws -> (status: Int32, text: String) {
        let process = try ChildProcess(
            try product("usherd").path, arguments,
            environment: ["HOME": "/dev/null", "PATH": "/usr/bin:/bin"], logsOutput: true)
        let status = process.waitForExit()
        return (status, process.log.waitForEnd())
    }

    private func file(_ text: String) throws -> String {
        let file = try temporaryFolder().appending(path: "c")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test func `tells the version and helps`() throws {
        let version = try run("--version")
        #expect(version.status == 0 && version.text.hasPrefix("usherd "))
        let help = try run("-h")
        #expect(help.status == 0 && help.text.contains("--check-config"))
    }

    @Test func `names the nearest option`() throws {
        let result = try run("--sokcet=x")
        #expect(result.status == 64)
        #expect(result.text == "usherd: there is no option --sokcet; did you mean --socket?\n")
    }

    @Test func `checks a configuration, groups, key and addresses too`() throws {
        #expect(try run("--check-config", "-c", file("users = demo\n")).status == 0)
        let unknown = try run("--check-config", "-c", file("admin-group = no-such-group\n"))
        #expect(unknown.status == 78 && unknown.text.contains("there is no group no-such-group"))
        let keyless = try run("--check-config", "-c", file("movies = tmdb\n"))
        #expect(keyless.status == 78 && keyless.text.contains("TMDB needs a key"))
        let certificates = try run("--check-config", "-c", file("ca-file = /nonexistent\n"))
        #expect(certificates.status == 78 && certificates.text.contains("/nonexistent"))
        let mistaken = try file("a = b\n")
        let wrong = try run("--check-config", "-c", mistaken)
        #expect(wrong.status == 78 && wrong.text.contains("\(mistaken):1: there is no setting a"))
    }

    @Test func `prints a configuration that it takes`() throws {
        let printed = try run("--print-config", "-c", file("users = demo\n"), "--demo-seed", "5")
        #expect(printed.status == 0)
        #expect(printed.text.contains("\nusers = demo\n"))
        #expect(printed.text.contains("\ndemo-seed = 5\n"))
        #expect(try run("--check-config", "-c", file(printed.text)).status == 0)
    }

    @Test func `ends with 73 where no socket can be made, with 69 where another serves`() throws {
        let empty = try file("")
        let missing = try run("-c", empty, "--socket", "/dev/null/a/s", "--store", "memory")
        #expect(missing.status == 73)
        let daemon = try RunningDaemon()
        let second = try run("-c", empty, "--socket", daemon.socketPath, "--store", "memory")
        #expect(second.status == 69 && second.text.contains("another usherd (pid \(daemon.pid))"))
    }
}
