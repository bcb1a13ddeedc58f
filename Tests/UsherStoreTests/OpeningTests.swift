// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherCore
import UsherWire

@testable import UsherStore

/// What a store makes, and what it refuses and leaves as it is.
struct OpeningTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.store
    }

    private func log() -> SQLiteChangeLog { SQLiteChangeLog(path: path) }

    private func failure(at path: String? = nil) -> StoreError? {
        let log = SQLiteChangeLog(path: path ?? self.path)
        do throws(StoreError) {
            _ = try log.open()
            log.close()
            return nil
        } catch {
            return error
        }
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// Makes a store with something in it and closes it.
    private func makeStore() async throws {
        let store = StoreUnderTest(log())
        _ = try store.open()
        await store.commit(Sample.user(revision: 1))
        await store.commit(
            .append(.popular, Sample.progress(2), movies: Sample.movies(1..<50, size: 500)))
        store.log.close()
    }

    private func execute(_ sql: String) throws {
        try Database(path: path).execute(sql)
    }

    private func overwrite(at offset: UInt64, with bytes: [UInt8]) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    private func contents() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test func `Folder, file and log are their owner's alone`() async throws {
        let store = StoreUnderTest(log())
        _ = try store.open()
        await store.commit(Sample.append(1))
        #expect(try mode(folder.path + "/state") == 0o700)
        #expect(try mode(path) == 0o600)
        #expect(try mode(path + "-wal") == 0o600)
        #expect(try mode(path + ".lock") == 0o600)
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
        store.log.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test func `A second opener is told at once who has the store`() async throws {
        try await makeStore()
        let first = log()
        _ = try first.open()
        let error = try #require(failure())
        #expect(error.kind == .locked)
        #expect(error.exitCode == 75)
        #expect(error.message.contains(path) && error.message.contains("pid \(getpid())"))
        let done = Monitor(false)
        first.commit(Sample.append(5), generation: 0) { result in
            done.update { $0 = result.error == nil }
        }
        done.wait { $0 ? () : nil }
        first.close()
        #expect(failure() == nil)
    }

    @Test func `Of many openers at once, one gets the store`() {
        let won = Monitor<[SQLiteChangeLog]>([])
        let kinds = Monitor<Set<StoreError.Kind>>([])
        DispatchQueue.concurrentPerform(iterations: 20) { [path] _ in
            let log = SQLiteChangeLog(path: path)
            do throws(StoreError) {
                _ = try log.open()
                won.update { $0.append(log) }
            } catch {
                kinds.update { _ = $0.insert(error.kind) }
            }
        }
        #expect(won.snapshot.count == 1)
        #expect(kinds.snapshot == [.locked])
        for log in won.snapshot { log.close() }
    }

    @Test func `A program that uses the file by SQLite keeps the store out`() async throws {
        try await makeStore()
        let other = try Database(path: path)
        try other.execute("BEGIN IMMEDIATE")
        #expect(failure()?.kind == .locked)
        try other.execute("ROLLBACK")
    }

    @Test func `A refusal leaves no descriptor behind`() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            let first = SQLiteChangeLog(path: path)
            _ = try first.open()
            let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            for _ in 1...20 { _ = try? SQLiteChangeLog(path: path).open() }
            let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            #expect(after.count == before.count)
            first.close()
        }
    }

    @Test func `A file that is no database is refused and left as it is`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/state", withIntermediateDirectories: true)
        let text = Data(String(repeating: "Dear diary. ", count: 900).utf8)
        try text.write(to: URL(filePath: path))
        #expect(failure()?.kind == .notADatabase)
        #expect(failure()?.exitCode == 65)
        #expect(try contents() == text)
    }

    @Test func `Another program's database is refused and left as it is`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/state", withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: path))
        try execute("CREATE TABLE bookmarks (url TEXT)")
        let before = try contents()
        #expect(failure()?.kind == .notADatabase)
        #expect(try contents() == before)
    }

    @Test func `An empty file becomes a store`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/state", withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: path))
        #expect(failure() == nil)
    }

    @Test func `A later version's store is refused and left as it is`() async throws {
        try await makeStore()
        try execute("PRAGMA user_version = 99")
        let before = try contents()
        let error = try #require(failure())
        #expect(error.kind == .newer)
        #expect(error.exitCode == 78)
        #expect(error.message.contains("schema 99"))
        #expect(try contents() == before)
    }

    @Test func `A damaged store is refused and not deleted`() async throws {
        try await makeStore()
        let size = try contents().count
        try overwrite(at: 4_096, with: [UInt8](repeating: 0xFF, count: size - 4_096))
        let error = try #require(failure())
        #expect(error.kind == .corrupt)
        #expect(error.exitCode == 65)
        #expect(try contents().count == size)
    }

    @Test func `Values that make no sense are damage`() async throws {
        try await makeStore()
        try execute("DELETE FROM movies WHERE position = 3")
        #expect(failure()?.kind == .corrupt)
        try execute("DELETE FROM movies")
        try execute("UPDATE lists SET revision = -1")
        #expect(failure()?.kind == .corrupt)
        try execute("DELETE FROM lists")
        #expect(failure() == nil)
    }

    @Test func `After a crash, damage that reading would not meet is found`() async throws {
        try await makeStore()
        // The header then tells of five free pages, of which there are none.
        try overwrite(at: 36, with: [0, 0, 0, 5])
        #expect(failure() == nil)
        try execute("UPDATE meta SET clean = 0")
        #expect(failure()?.kind == .corrupt)
    }

    @Test func `An older copy that is put back begins a new epoch`() async throws {
        try await makeStore()
        let copy = try contents()
        let epoch = try log().openAndClose().epoch
        try copy.write(to: URL(filePath: path))
        let restored = try log().openAndClose()
        #expect(restored.epoch != epoch)
        #expect(restored.users.count == 1)
        #expect(try log().openAndClose().epoch == restored.epoch)
    }

    @Test func `A directory and a pipe are refused`() throws {
        let error = try #require(failure(at: folder.path))
        #expect(error.kind == .notAFile)
        #expect(error.exitCode == 73)
        #expect(unsafe mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(failure(at: folder.path + "/pipe")?.kind == .notAFile)
        try Data().write(to: URL(filePath: folder.path + "/file"))
        #expect(failure(at: folder.path + "/file/store")?.kind == .notAFile)
    }

    @Test func `A folder of somebody else's is refused`() async throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o555], ofItemAtPath: folder.path)
        await #expect(processExitsWith: .success) {
            [path = folder.path + "/usher.sqlite" as String] in
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            let error = #expect(throws: StoreError.self) { try SQLiteChangeLog(path: path).open() }
            #expect(error?.kind == .permission)
            #expect(error?.exitCode == 77)
        }
    }
}

extension SQLiteChangeLog {
    fileprivate func openAndClose() throws(StoreError) -> StoredState {
        defer { close() }
        return try open()
    }
}
