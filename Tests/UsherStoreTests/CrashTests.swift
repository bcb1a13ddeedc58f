// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherCore
import UsherWire

@testable import UsherStore

/// A process that dies loses nothing that it was told is durable.
struct CrashTests {
    /// How many acknowledgements a process lives to see, one process after another on the same store.
    private static let lives = [1, 2, 3, 7, 20, 55, 149]

    @Test func `A process killed amid its commits loses none that was acknowledged`() async throws {
        let folder = try TemporaryFolder()
        let acknowledged = folder.path + "/acknowledged"
        var last: UInt64 = 0
        for life in Self.lives {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = folder.store as String, file = acknowledged as String, life = life as Int]
                in
                try commitUntilKilled(path: path, noting: file, after: life)
            }
            let noted = try UInt64(Data(contentsOf: URL(filePath: acknowledged)).count)
            let log = SQLiteChangeLog(path: folder.store)
            let stored = try log.open()
            log.close()
            // All up to some change, none after it: what was not acknowledged is there or not, but not in part.
            let ids = try #require(stored.lists.first).movies.map(\.id)
            let count = UInt64(ids.count)
            #expect(ids == Array(1...Int64(count)))
            #expect(count >= last + noted && noted >= UInt64(life))
            #expect(stored.lists.first?.progress.revision == count)
            last = count
            try FileManager.default.removeItem(atPath: acknowledged)
        }
    }
}

/// Appends one movie after another, notes a byte for each that is durable, and kills its own process while the worker
/// goes on.
private func commitUntilKilled(path: String, noting file: String, after life: Int) throws {
    let log = SQLiteChangeLog(path: path)
    let stored = try log.open()
    let first = UInt64(stored.lists.first?.movies.count ?? 0) + 1
    try Data().write(to: URL(filePath: file))
    let notes = try #require(FileHandle(forWritingAtPath: file))
    let heard = Monitor(0)
    for revision in first..<first + UInt64(life) + 500 {
        log.commit(Sample.append(revision, size: 400), generation: 0) { result in
            guard result.error == nil else { return }
            try? notes.write(contentsOf: [1])
            heard.update { $0 += 1 }
        }
        // A few at a time are in flight.
        heard.wait { revision - first < UInt64($0) + 5 ? () : nil }
        if heard.snapshot >= life { kill(getpid(), SIGKILL) }
    }
}
