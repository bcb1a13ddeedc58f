// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `systemd-socket-activate`, which opens a socket and starts the daemon when somebody connects.
private let activator = "/usr/bin/systemd-socket-activate"

@Suite(
    .enabled(if: FileManager.default.isExecutableFile(atPath: activator), "no \(activator)"),
    .timeLimit(.minutes(5)))
struct `A socket that was opened for the daemon` {
    let folder: URL
    let path: String

    init() throws {
        folder = try temporaryFolder()
        path = folder.path + "/s"
    }

    private func activate(_ arguments: [String], _ daemon: [String] = []) throws -> ChildProcess {
        let process = try ChildProcess(
            activator,
            arguments + [try product("usherd").path, "--users", "demo", "--demo-delay", "0"]
                + ["--demo-failure-rate", "0", "--store", "memory"] + daemon,
            environment: ["PATH": "/usr/bin:/bin"])
        guard process.log.wait(for: "Listening on \(path)") else {
            throw TestFailure("not activated: \(process.log.text)")
        }
        return process
    }

    private func inode() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }

    @Test func `is served, and stays where it is`() throws {
        let process = try activate(["-l", path, "--fdname=usher"])
        let made = try inode()
        let client = try LineClient(path: path)
        #expect(try client.ask("fetch")["result", "state", "state"].string == "loaded")
        #expect(process.log.wait(for: "serving on \(path)"))
        // Neither the option's socket nor its lock is made.
        #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
        process.signal(SIGTERM)
        #expect(process.waitForExit() == 0)
        #expect(try inode() == made)
    }

    @Test func `is served beside others`() throws {
        let other = folder.path + "/t"
        let process = try activate(["-l", path, "-l", other, "--fdname=one:two"])
        let first = try LineClient(path: path)
        #expect(try first.ask("ping")["result", "uptime_ms"].integer != nil)
        let second = try LineClient(path: other)
        #expect(try second.ask("ping")["result", "uptime_ms"].integer != nil)
        process.kill()
    }

    @Test func `is refused when it is of another kind`() throws {
        let process = try activate(["-d", "-l", path, "--fdname=talk"])
        let sender = try ChildProcess(
            "/bin/sh", ["-c", "echo x | socat - UNIX-SENDTO:\(path)"],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(sender.waitForExit() == 0)
        #expect(process.waitForExit() == 78)
        let text = process.log.waitForEnd()
        #expect(text.contains("the inherited descriptor 3 is not a listening Unix stream socket"))
        #expect(text.contains("its unit calls it talk"))
    }
}
