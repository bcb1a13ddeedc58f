// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import UsherEventLoop
import UsherOptions

/// Writes what happens to standard error, one line a record.
///
/// Under the journal a line begins with its priority, as `sd-daemon(3)` says; elsewhere with the time. Text from outside
/// is made printable, so that nobody forges a record. A warning or an error that comes again and again is written once
/// and then counted.
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

    /// Whether records go to the journal, which has its own times.
    let hasJournal: Bool
    /// Who gets the records instead of standard error.
    private let sink: (@Sendable (Priority, String) -> Void)?
    private let repeats = RepeatCounter()

    /// A log for the environment of this process.
    package init(environment: [String: String] = ProcessEnvironment.variables) {
        hasJournal = Self.isJournal(environment["JOURNAL_STREAM"])
        sink = nil
    }

    /// A log whose records go to `sink`, each as it is and without a time.
    package init(to sink: @escaping @Sendable (Priority, String) -> Void) {
        hasJournal = false
        self.sink = sink
    }

    /// `isReply` marks what somebody just asked for, which is written however often it comes.
    package func error(_ message: String, isReply: Bool = false) {
        write(.error, message, isCounted: !isReply)
    }

    /// `isReply` as for ``error(_:isReply:)``.
    package func warning(_ message: String, isReply: Bool = false) {
        write(.warning, message, isCounted: !isReply)
    }

    package func notice(_ message: String) { write(.notice, message, isCounted: false) }
    package func info(_ message: String) { write(.info, message, isCounted: true) }

    /// Writes how often lines came again that were left out so far.
    package func flush() {
        for line in repeats.takeAll() { put(line) }
    }

    private func write(_ priority: Priority, _ message: String, isCounted: Bool) {
        let line = RepeatCounter.Line(priority: priority, message: message)
        let now = EventLoop.monotonicNanoseconds() / 1_000_000_000
        for old in repeats.takeDue(now) { put(old) }
        if isCounted, !repeats.isNew(line, now) { return }
        put(line)
    }

    private func put(_ line: RepeatCounter.Line) {
        if let sink { return sink(line.priority, line.message) }
        let head =
            hasJournal
            ? "<\(line.priority.rawValue)>"
            : "\(Self.time(Glibc.time(nil))) \(line.priority.word.padding(toLength: 8)) "
        var text = head
        for scalar in line.message.unicodeScalars {
            let isPrintable = scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value)
            text.unicodeScalars.append(isPrintable ? scalar : "\u{FFFD}")
        }
        put(text)
    }

    /// Seconds since 1970 as a time of day in UTC, in the form of RFC 3339: `2026-11-30T08:10:55Z`.
    static func time(_ seconds: Int) -> String {
        var seconds = seconds
        var parts = unsafe tm()
        var text = [CChar](repeating: 0, count: 32)
        // No clock is that far off that its year does not fit an Int32.
        guard unsafe gmtime_r(&seconds, &parts) != nil else { return "\(seconds)" }
        let length = unsafe strftime(&text, text.count, "%04Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Writes a line as it is.
    ///
    /// A log that cannot be written is no reason to stop.
    package func put(_ text: String) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Whether standard error is the journal's stream, which the variable names by device and inode: it is inherited
    /// also by programs whose standard error was sent elsewhere.
    private static func isJournal(_ stream: String?) -> Bool {
        stream != nil && stream == FileIdentity(of: STDERR_FILENO)?.description
    }
}

extension String {
    fileprivate func padding(toLength length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}
