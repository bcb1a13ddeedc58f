// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A daemon that cannot start` {
    @Test func `on another one's socket names that one and exits with 69`() throws {
        let daemon = try RunningDaemon()
        let second = try RunningDaemon.launch(
            ["--socket", daemon.socketPath, "--store", "memory"])
        #expect(second.waitForExit() == 69)
        #expect(second.log.waitForEnd().contains("\(daemon.pid)"))
        #expect(try daemon.connect().ask("ping")["result"] != .null)
    }

    @Test(arguments: [
        (["--movies", "tmdb"], 78, "TMDB needs a key"),
        (["--control-group", "nonesuch"], 78, "there is no group nonesuch"),
        (["--socket", "/proc/nowhere/socket"], 73, "/proc/nowhere"),
        (["--nonsense"], 64, "nonsense"),
        (["--limit", "clients=many"], 64, "whole number"),
    ])
    func `says why and exits with the fitting status`(
        arguments: [String], status: Int32, words: String
    ) throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try RunningDaemon.launch(
            ["--socket", folder.path + "/s", "--store", "memory"] + arguments)
        #expect(program.waitForExit() == status)
        #expect(program.log.waitForEnd().contains(words))
    }
}
