// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import UsherDaemon

struct `Log lines that come again` {
    private func line(_ message: String) -> RepeatCounter.Line {
        RepeatCounter.Line(priority: .warning, message: message)
    }

    @Test func `are counted, and told when their time is over`() {
        let counter = RepeatCounter()
        #expect(counter.isNew(line("a"), 10))
        #expect(counter.isNew(line("b"), 10))
        #expect(!counter.isNew(line("a"), 20))
        #expect(!counter.isNew(line("a"), 69))
        #expect(counter.takeDue(69).isEmpty)
        #expect(counter.takeDue(70).map(\.message) == ["a (2 times more)"])
        #expect(counter.isNew(line("a"), 70))
    }

    @Test func `are told of when the log is flushed`() {
        let counter = RepeatCounter()
        _ = counter.isNew(line("a"), 0)
        _ = counter.isNew(line("a"), 0)
        #expect(counter.takeAll().map(\.message) == ["a (once more)"])
        #expect(counter.takeAll().isEmpty)
    }

    @Test func `are the same only with the same priority`() {
        let counter = RepeatCounter()
        #expect(counter.isNew(line("a"), 0))
        #expect(counter.isNew(RepeatCounter.Line(priority: .error, message: "a"), 0))
    }

    @Test func `make room for others with their count told`() {
        let counter = RepeatCounter()
        _ = counter.isNew(line("first"), 0)
        _ = counter.isNew(line("first"), 0)
        for number in 1..<RepeatCounter.maximumLines { _ = counter.isNew(line("\(number)"), 0) }
        #expect(counter.takeDue(0).map(\.message) == ["first (once more)"])
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The log` {
    @Test func `has priorities under the journal`() throws {
        let folder = try temporaryFolder()
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c", "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec \"$@\"", "sh",
                try product("usherd").path, "--config", try emptyFile(folder), "--socket",
                folder.path + "/s", "--store", "memory", "--users", "demo",
            ], environment: ["PATH": "/usr/bin:/bin"])
        #expect(process.log.wait(for: "<5>serving on \(folder.path)/s\n"))
        process.kill()
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
        (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (1_796_026_255, "2026-11-30T08:10:55Z"), (2_147_483_648, "2038-01-19T03:14:08Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, "10000-01-01T00:00:00Z"),
        (-62_135_596_800, "0001-01-01T00:00:00Z"), (.max, "9223372036854775807"),
    ])
    func `writes the time in UTC, whatever the year`(seconds: Int, text: String) {
        #expect(Log.time(seconds) == text)
    }

    @Test func `has times where the journal is somewhere else`() throws {
        let daemon = try RunningDaemon(
            environment: ["JOURNAL_STREAM": "1:1", "INVOCATION_ID": "x"])
        #expect(daemon.log.text.contains("Z notice   serving on"))
        #expect(!daemon.log.text.contains("<5>"))
    }

    @Test func `counts a failure that comes again and again`() throws {
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "0", "--demo-failure-rate", "1"])
        let client = try daemon.connect()
        for _ in 0..<5 { #expect(try client.ask("fetch").reason == "upstream_failed") }
        #expect(daemon.terminate() == 0)
        let lines = daemon.log.waitForEnd().split(separator: "\n").filter { $0.contains("user 0") }
        #expect(lines.count == 2)
        #expect(lines.last?.hasSuffix("(4 times more)") == true)
    }

    @Test func `is there for whoever has the answer that was sent after it`() throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #expect(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let log = ProcessLog(reading: ends[0])
        var text = ""
        for number in 0..<10_000 {
            let line = "line \(number)\n"
            #expect(unsafe write(ends[1], line, line.utf8.count) == line.utf8.count)
            text += line
            // The thread that reads it may have had no time yet.
            if number.isMultiple(of: 100) { #expect(log.text == text) }
        }
        _ = close(ends[1])
        #expect(log.waitForEnd() == text)
    }

    @Test func `tells the state on SIGUSR1`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("more")
        _ = try client.ask("watch movies")
        daemon.signal(SIGUSR1)
        #expect(daemon.log.wait(for: "state: 1 clients (1 so far), 1 subscriptions"))
        #expect(daemon.log.wait(for: "state: list popular: idle, page 1 of "))
        #expect(daemon.log.wait(for: "state: movies: answers"))
        #expect(daemon.log.text.contains("state: store sqlite:"))
        #expect(try client.ask("ping")["result", "uptime_ms"].integer != nil)
    }

    private func emptyFile(_ folder: URL) throws -> String {
        let file = folder.appending(path: "usherd.conf")
        try Data().write(to: file)
        return file.path
    }
}
