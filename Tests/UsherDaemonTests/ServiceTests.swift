// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A service manager is told` {
    let folder: URL
    let manager: NotifySocket

    init() throws {
        folder = try temporaryFolder()
        manager = try NotifySocket(folder.path + "/n")
    }

    private func daemon(_ environment: [String: String] = [:]) throws -> RunningDaemon {
        try RunningDaemon(
            environment: ["NOTIFY_SOCKET": manager.address].merging(environment) { $1 })
    }

    @Test func `that the daemon is ready, once it serves`() throws {
        let arguments = ["--socket", folder.path + "/s", "--store", "memory", "--users", "demo"]
        let process = try RunningDaemon.launch(arguments, ["NOTIFY_SOCKET": manager.address])
        let message = manager.next()
        #expect(message?["READY"] == "1")
        #expect(message?["STATUS"] == "Serving 0 clients on \(folder.path)/s")
        // No waiting: who is told so may connect.
        let client = try LineClient(path: folder.path + "/s")
        #expect(try client.ask("ping")["result", "uptime_ms"].integer != nil)
        process.kill()
    }

    @Test func `by a socket with an abstract name`() throws {
        let abstract = try NotifySocket("@usher-test-\(UUID().uuidString)")
        let daemon = try RunningDaemon(environment: ["NOTIFY_SOCKET": abstract.address])
        #expect(abstract.next()?["READY"] == "1")
        #expect(daemon.terminate() == 0)
        #expect(abstract.next()?["STOPPING"] == "1")
    }

    @Test func `of a reload, and of the end of it`() throws {
        let daemon = try daemon()
        #expect(manager.next()?["READY"] == "1")
        let before = DispatchTime.now().uptimeNanoseconds / 1_000
        daemon.signal(SIGHUP)
        let reloading = manager.next()
        #expect(reloading?["RELOADING"] == "1")
        let time = try #require(reloading?["MONOTONIC_USEC"].flatMap { UInt64($0) })
        #expect(time >= before && time <= DispatchTime.now().uptimeNanoseconds / 1_000)
        #expect(manager.next()?["READY"] == "1")
    }

    @Test func `of a reload that changed nothing, and why`() throws {
        let daemon = try daemon()
        #expect(manager.next()?["READY"] == "1")
        try Data("uesrs = nss\n".utf8).write(to: daemon.configurationFile)
        daemon.signal(SIGHUP)
        #expect(manager.next()?["RELOADING"] == "1")
        let message = manager.next()
        #expect(message?["READY"] == "1")
        let status = message?["STATUS"] ?? ""
        #expect(status.hasPrefix("Not reloaded"))
        #expect(status.contains("\(daemon.configurationFile.path):1:"))
    }

    @Test func `of the end, with its reason`() throws {
        let daemon = try daemon()
        #expect(daemon.terminate() == 0)
        let message = manager.next(with: "STOPPING")
        #expect(message?["STOPPING"] == "1")
        #expect(message?["STATUS"] == "Stopping: SIGTERM")
    }

    @Test func `that all is alive, as long as the daemon runs`() throws {
        let daemon = try daemon(["WATCHDOG_USEC": "300000"])
        for _ in 0..<5 { #expect(manager.next(with: "WATCHDOG")?["WATCHDOG"] == "1") }
        daemon.signal(SIGSTOP)
        manager.drain()
        #expect(manager.next(within: 0.5) == nil)
        daemon.signal(SIGCONT)
        #expect(manager.next(with: "WATCHDOG")?["WATCHDOG"] == "1")
    }

    @Test func `nothing by a process that the watchdog is not for`() throws {
        let daemon = try daemon(["WATCHDOG_USEC": "30000", "WATCHDOG_PID": "1"])
        #expect(manager.next()?["READY"] == "1")
        #expect(manager.next(within: 0.3) == nil)
        #expect(daemon.terminate() == 0)
    }

    @Test func `how many clients there are, with a sign of life`() throws {
        let daemon = try daemon(["WATCHDOG_USEC": "300000"])
        #expect(manager.next()?["READY"] == "1")
        let client = try daemon.connect()
        _ = try client.ask("ping")
        let message = manager.next(with: "STATUS")
        #expect(message?["STATUS"] == "Serving 1 client on \(daemon.socketPath)")
    }
}
