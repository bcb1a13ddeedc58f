// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts log lines that come again, instead of letting them fill the log.
///
/// Thread-safe.
final class RepeatCounter: Sendable {
    struct Line: Sendable, Hashable {
        let priority: Log.Priority
        let message: String
    }

    /// A line that was written, and how often it came since.
    private struct Entry {
        let line: Line
        let writtenAt: UInt64
        var count = 0

        var report: Line? {
            guard count > 0 else { return nil }
            let times = count == 1 ? "once" : "\(count) times"
            return Line(priority: line.priority, message: "\(line.message) (\(times) more)")
        }
    }

    /// For how many seconds a line that was written is not written again.
    static let quietSeconds: UInt64 = 60
    /// Lines that are remembered; beyond that the oldest is forgotten, after its count is told.
    static let maximumLines = 64

    private let entries = Mutex<[Entry]>([])

    /// Whether a line is to be written; if not, it was counted.
    func isNew(_ line: Line, _ now: UInt64) -> Bool {
        entries.withLock { entries in
            if let index = entries.firstIndex(where: { $0.line == line }) {
                entries[index].count += 1
                return false
            }
            entries.append(Entry(line: line, writtenAt: now))
            return true
        }
    }

    /// What is to be told now: counts whose time is over, and those that make room for others.
    func takeDue(_ now: UInt64) -> [Line] {
        entries.withLock { entries in
            var due = entries.prefix { $0.writtenAt + Self.quietSeconds <= now }.count
            due = max(due, entries.count - Self.maximumLines + 1)
            defer { entries.removeFirst(due) }
            return entries.prefix(due).compactMap(\.report)
        }
    }

    /// All counts, which begin anew.
    func takeAll() -> [Line] {
        entries.withLock { entries in
            defer { entries.removeAll() }
            return entries.compactMap(\.report)
        }
    }
}
