// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes what happens to standard error, one line a record.
///
/// Under systemd a line begins with its priority, as `sd-daemon(3)` says; elsewhere with the time. Text from outside
/// is made printable, so that nobody forges a record.
package struct Log: Sendable {
    package enum Priority: Int, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6

        fileprivate var word: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .notice: "notice"
            case .info: "info"
            }
        }
    }

    private let hasJournal: Bool

    /// A log for the environment of this process.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        hasJournal = environment["JOURNAL_STREAM"] != nil || environment["INVOCATION_ID"] != nil
    }

    package func error(_ message: String) { write(.error, message) }
    package func warning(_ message: String) { write(.warning, message) }
    package func notice(_ message: String) { write(.notice, message) }
    package func info(_ message: String) { write(.info, message) }

    private func write(_ priority: Priority, _ message: String) {
        let head =
            hasJournal
            ? "<\(priority.rawValue)>"
            : "\(Date.now.formatted(.iso8601)) \(priority.word.padding(toLength: 8)) "
        var line = head
        for scalar in message.unicodeScalars {
            let isPrintable = scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value)
            line.unicodeScalars.append(isPrintable ? scalar : "\u{FFFD}")
        }
        // A log that cannot be written is no reason to stop.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

extension String {
    fileprivate func padding(toLength length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}
