// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UsherClient

/// Run by hand and alone: `USHER_LOOPS=100000 swift test --filter LoopMemoryTests`.
@Suite(.timeLimit(.minutes(10)), .enabled(if: LongRuns.loops > 0))
struct LoopMemoryTests {
    /// What allocators and buffers may take beyond what the first loops took.
    private static let toleratedGrowth = 2_000_000

    @Test func `Loops that are opened and cancelled leave no memory behind`() async throws {
        let daemon = try RunningDaemon(store: "memory")
        let client = UsherClient(socket: daemon.socketPath)
        try await client.fetchUser()
        await open(LongRuns.loops / 5, over: client)
        let before = try (residentBytes(of: getpid()), residentBytes(of: daemon.pid))
        await open(LongRuns.loops, over: client)
        try await client.ping()
        let after = try (residentBytes(of: getpid()), residentBytes(of: daemon.pid))
        print("the client's process: \(before.0) bytes, then \(after.0)")
        print("the daemon's process: \(before.1) bytes, then \(after.1)")
        #expect(after.0 - before.0 < Self.toleratedGrowth)
        #expect(after.1 - before.1 < Self.toleratedGrowth)
    }

    /// Each loop over a user has nobody beside it, so that it is a subscription of its own.
    private func open(_ count: Int, over client: UsherClient) async {
        for index in 0..<count {
            let loop = Task {
                if index.isMultiple(of: 2) {
                    for await _ in client.user {}
                } else {
                    for await _ in client.pages() {}
                }
            }
            await Task.yield()
            loop.cancel()
            await loop.value
        }
    }

    private func residentBytes(of pid: Int32) throws -> Int {
        let fields = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
            .split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw TestFailure("no memory figure of process \(pid)")
        }
        return pages * 4_096
    }
}
