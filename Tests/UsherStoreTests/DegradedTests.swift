// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing
import UsherCore
import UsherWire

@testable import UsherStore

/// A store that cannot be written refuses, says why, and goes on by itself when it can.
struct DegradedTests {
    @Test func `After an I/O error nothing is acknowledged until a write succeeds`() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .success) { [path = folder.store as String] in
            let log = SQLiteChangeLog(path: path, probeInterval: .milliseconds(10))
            let store = StoreUnderTest(log)
            let health = Monitor<[String]>([])
            log.watchHealth { failure in
                health.update { $0.append(failure.map { "\($0.kind)" } ?? "well") }
            }
            _ = try store.open()
            await store.commit(Sample.append(1))
            #expect(health.snapshot == [])

            // Writing beyond the limit fails with EFBIG, which SQLite reports as an I/O error.
            signal(SIGXFSZ, SIG_IGN)
            try limitFiles(to: 4_096)
            let failed = await store.commit(Sample.append(2))
            #expect(failed.error?.kind == .io)
            #expect(failed.error?.message.contains("File too large") == true)
            #expect(log.status.isDegraded)
            #expect(health.snapshot == ["io"], "told before the first is refused")
            let refused = await store.commit(Sample.append(3))
            #expect(refused.error == failed.error)
            try await waitForProbes(2, of: log)
            #expect(log.status.isDegraded)

            try limitFiles(to: .max)
            try await recover(store, with: 4)
            #expect(!log.status.isDegraded)
            #expect(health.snapshot == ["io", "well"])
            let ids = try store.reopen().lists.first?.movies.map(\.id)
            #expect(ids?.first == 1 && ids?.contains(2) == false && ids?.contains(3) == false)
        }
    }

    @Test(.enabled(if: MemoryFileSystem.isPermitted, "needs the right to mount a file system"))
    func `A full disk is told, and recovers when space returns`() async throws {
        let folder = try TemporaryFolder()
        let mount = try MemoryFileSystem(at: folder.path, options: "size=600k")
        defer { mount.unmount() }
        let filler = URL(filePath: folder.path + "/filler")
        try Data(count: 200 << 10).write(to: filler)
        let log = SQLiteChangeLog(path: folder.store, probeInterval: .milliseconds(10))
        let store = StoreUnderTest(log)
        _ = try store.open()

        var stored: [Int64] = []
        var failure: StoreError?
        while failure == nil {
            let id = Int64(stored.count + 1)
            failure = await store.commit(Sample.append(UInt64(id), size: 4_000)).error
            if failure == nil { stored.append(id) }
        }
        #expect(failure?.kind == .full)
        #expect(failure?.exitCode == 74)
        #expect(log.status.isDegraded)
        #expect(log.status.commits == stored.count)

        try FileManager.default.removeItem(at: filler)
        stored.append(try await recover(store, with: 1_000))
        #expect(try store.reopen().lists.first?.movies.map(\.id) == stored)
        store.log.close()
    }

    @Test(.enabled(if: MemoryFileSystem.isPermitted, "needs the right to mount a file system"))
    func `A full disk at the start is told`() throws {
        let folder = try TemporaryFolder()
        let mount = try MemoryFileSystem(at: folder.path, options: "size=16k")
        defer { mount.unmount() }
        try Data(count: 8 << 10).write(to: URL(filePath: folder.path + "/filler"))
        let error = #expect(throws: StoreError.self) {
            try SQLiteChangeLog(path: folder.store).open()
        }
        #expect(error?.kind == .full)
    }

    @Test(.enabled(if: MemoryFileSystem.isPermitted, "needs the right to mount a file system"))
    func `A read-only file system is told`() throws {
        let folder = try TemporaryFolder()
        let mount = try MemoryFileSystem(at: folder.path, options: "size=64k", isReadOnly: true)
        defer { mount.unmount() }
        let error = #expect(throws: StoreError.self) {
            try SQLiteChangeLog(path: folder.path + "/usher.sqlite").open()
        }
        #expect(error?.kind == .readOnly)
        #expect(error?.exitCode == 73)
    }
}

/// Appends movies from `first` on until the store takes one, and gives its number.
@discardableResult
private func recover(_ store: StoreUnderTest, with first: UInt64) async throws -> Int64 {
    let deadline = ContinuousClock.now.advanced(by: .seconds(20))
    var revision = first
    while await store.commit(Sample.append(revision)).error != nil {
        try #require(ContinuousClock.now < deadline, "the store did not recover")
        revision += 1
    }
    return Int64(revision)
}

/// Waits until the store has tried to write `count` times since it failed.
private func waitForProbes(_ count: Int, of log: SQLiteChangeLog) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(20))
    while log.status.probes < count {
        try #require(ContinuousClock.now < deadline, "the store gave up, or took itself for well")
        await Task.yield()
    }
}

/// Sets how large a file of this process may become.
private func limitFiles(to bytes: UInt64) throws {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = min(rlim_t(bytes), limit.rlim_max)
    try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
}
