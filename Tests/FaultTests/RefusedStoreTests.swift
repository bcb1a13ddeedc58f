// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// Files that cannot be a store: the daemon says so in one line and leaves every byte as it was.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `A store that is refused` {
    private let daemon: RunningDaemon
    private let file: URL

    /// A daemon that was killed with changes in its log, as a crash leaves them.
    init() throws {
        daemon = try RunningDaemon()
        let workload = Workload()
        try workload.connect(to: daemon)
        for _ in 0..<3 { try workload.round() }
        daemon.kill()
        file = daemon.folder.appending(path: "usher.db")
    }

    /// Runs SQL as another program would that dies before it could tidy up.
    private func leaveBehind(_ statements: String...) throws {
        let program = """
            import os, sqlite3, sys
            connection = sqlite3.connect(sys.argv[1], isolation_level=None)
            for statement in sys.argv[2:]: connection.execute(statement)
            os.kill(os.getpid(), 9)
            """
        let process = try ChildProcess(
            "/usr/bin/env", ["python3", "-c", program, file.path] + statements)
        guard process.waitForExit() == -SIGKILL else { throw TestFailure(process.log.text) }
    }

    /// Starts the daemon, which has to refuse; whatever the reason, nothing may change.
    private func expectRefusal(_ status: Int32, _ words: String, through wrapper: [String] = [])
        throws
    {
        let before = try daemon.storeFiles()
        #expect(try !daemon.restart(through: wrapper))
        #expect(daemon.waitForExit() == status)
        let log = daemon.log.text
        #expect(log.split(separator: "\n").count == 1 && log.contains(words), "\(log)")
        #expect(log.contains(file.path), "\(log)")
        #expect(try daemon.storeFiles() == before)
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
    }

    @Test func `of a later version is left as it is, its log too`() throws {
        try leaveBehind("PRAGMA user_version = 99")
        try expectRefusal(78, "schema 99")
    }

    @Test func `of another program is left as it is, its log too`() throws {
        try daemon.removeStore()
        try leaveBehind(
            "PRAGMA journal_mode = WAL", "CREATE TABLE bookmarks (url TEXT)",
            "INSERT INTO bookmarks VALUES (1)")
        try expectRefusal(65, "not a state file of usherd")
    }

    @Test func `because it is no database is left as it is`() throws {
        try daemon.removeStore()
        try Data(String(repeating: "Dear diary. ", count: 900).utf8).write(to: file)
        try expectRefusal(65, "not a state file of usherd")
    }

    @Test func `because another process has it open is left as it is`() throws {
        let other = try ChildProcess.shell(
            """
            exec python3 -uc 'import sqlite3, signal
            connection = sqlite3.connect("\(file.path)", isolation_level=None)
            connection.execute("BEGIN IMMEDIATE")
            print("open")
            signal.pause()'
            """)
        #expect(other.log.wait(for: "open"))
        try expectRefusal(75, "in use by another process")
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs root, for a mount namespace"))
    func `because its disk is read-only is left as it is`() throws {
        let disk = try SmallDisk(kilobytes: 1_000)
        let daemon = try RunningDaemon(store: disk.store, through: disk.wrapper)
        #expect(try daemon.connect().ask("fetch")["result"] != .null)
        daemon.kill()
        try disk.makeReadOnly()
        let before = try disk.files()
        #expect(try !daemon.restart(through: disk.wrapper))
        #expect(daemon.waitForExit() == 73)
        #expect(daemon.log.text.split(separator: "\n").count == 1)
        #expect(try disk.files() == before)
    }

    /// Not every flipped bit can be seen, since a name is as good with another letter; what is seen is told.
    @Test func `because of damage is left as it is, and no damage crashes the daemon`() throws {
        // With a log, as a crash leaves it; and without one.
        let withLog = try daemon.storeFiles()
        try daemon.restart()
        #expect(daemon.terminate() == 0)
        let withoutLog = try daemon.storeFiles()
        var random = SplitMix(seed: 7)
        var refused = 0
        for index in 0..<Faults.number(60, all: 400) {
            let whole = index.isMultiple(of: 4) ? withLog : withoutLog
            try daemon.restoreStore(whole)
            let name = try #require(whole.keys.sorted().randomElement(using: &random))
            var content = try #require(whole[name])
            if index.isMultiple(of: 3) {
                content = content.prefix(Int.random(in: 0..<content.count, using: &random))
            } else {
                let start = Int.random(in: 0..<content.count, using: &random)
                let count = index.isMultiple(of: 2) ? 1 : 600
                for place in start..<min(start + count, content.count) { content[place] ^= 0xFF }
            }
            try content.write(to: daemon.folder.appending(path: name))
            let before = try daemon.storeFiles()
            if try daemon.restart(through: []) {
                #expect(try daemon.connect().ask("user")["result"] != .null)
                daemon.kill()
                continue
            }
            refused += 1
            #expect(daemon.waitForExit() == 65, "\(index), \(name): \(daemon.log.text)")
            #expect(daemon.log.text.split(separator: "\n").count == 1, "\(daemon.log.text)")
            #expect(try daemon.storeFiles() == before, "\(index), \(name)")
        }
        print("\(refused) damaged stores were refused")
        #expect(refused > 3)
    }
}
