// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct `A store and a socket have one owner` {
    private static func start(
        _ index: Int, in folder: URL, through wrapper: [String] = []
    ) throws -> ChildProcess {
        try RunningDaemon.launch(
            ["--socket", "\(folder.path)/s\(index)"]
                + ["--store", "sqlite:\(folder.path)/usher.db"] + RunningDaemon.demo,
            through: wrapper)
    }

    @Test func `of many daemons on one store one serves, the others exit with 75`() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let (rounds, crowd) = (Faults.number(3, all: 50), 20)
        for round in 0..<rounds {
            let daemons = try (0..<crowd).map { try Self.start($0, in: folder) }
            let serving = daemons.indices.filter { daemons[$0].log.wait(for: "serving on") }
            try #require(serving.count == 1, "round \(round)")
            for index in daemons.indices where index != serving[0] {
                #expect(daemons[index].waitForExit() == 75)
                #expect(daemons[index].log.text.contains("in use by another process"))
                // It made a socket before it knew, and took it along.
                #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/s\(index)"))
            }
            let client = try LineClient(path: "\(folder.path)/s\(serving[0])")
            _ = try client.ask("fetch")
            #expect(try client.ask("rename n\(round)")["result"] != .null)
            daemons[serving[0]].kill()
        }
        print("\(rounds * crowd) daemons started on one store, \(rounds) served")
        #expect(try integrity(of: folder.path + "/usher.db") == "ok")
    }

    @Test(.enabled(if: Injection.isPossible, "strace is not installed"))
    func `who finds the store taken has not so much as opened it`() throws {
        let daemon = try RunningDaemon()
        let trace = daemon.folder.path + "/trace"
        let loser = try Self.start(
            1, in: daemon.folder,
            through: ["/usr/bin/strace", "-D", "-f", "-qq", "-o", trace, "-e", "trace=openat"])
        #expect(loser.waitForExit() == 75)
        _ = loser.log.waitForEnd()
        let opened = try String(contentsOfFile: trace, encoding: .utf8)
        let names = ["/usher.db.lock\"", "/usher.db\"", "/usher.db-wal\""].map(opened.contains)
        #expect(names == [true, false, false])
    }

    @Test func `a daemon that stops leaves the path to the one that took it`() throws {
        let old = try RunningDaemon(store: "memory")
        for file in [old.socketPath, old.socketPath + ".lock"] {
            try FileManager.default.removeItem(atPath: file)
        }
        let new = try RunningDaemon.launch(
            ["--socket", old.socketPath, "--store", "memory"] + RunningDaemon.demo)
        #expect(new.log.wait(for: "serving on"))
        #expect(old.terminate() == 0)
        #expect(try LineClient(path: old.socketPath).ask("clients")["result", "total"].integer == 1)
        new.kill()
    }
}
