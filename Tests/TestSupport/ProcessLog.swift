// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What a process writes, as far as it came, read by a thread of its own until its end.
package final class ProcessLog: @unchecked Sendable {
    private let condition = NSCondition()
    private var content = Data()
    private var hasEnded = false

    package init(reading handle: FileHandle) {
        let thread = Thread { [self] in
            while true {
                let data = handle.availableData
                condition.lock()
                content.append(data)
                hasEnded = data.isEmpty
                condition.broadcast()
                condition.unlock()
                if data.isEmpty { return }
            }
        }
        thread.start()
    }

    /// All that was written so far.
    package var text: String {
        condition.withLock { String(decoding: content, as: UTF8.self) }
    }

    /// Waits until the text was written; false if the process closed its end before, or after `timeout` seconds.
    package func wait(for text: String, timeout: TimeInterval = 30) -> Bool {
        let deadline = Date(timeIntervalSinceNow: timeout)
        condition.lock()
        defer { condition.unlock() }
        while !String(decoding: content, as: UTF8.self).contains(text) {
            if hasEnded || !condition.wait(until: deadline) { return false }
        }
        return true
    }

    /// Waits until the process closed its end, and gives all it wrote.
    package func waitForEnd() -> String {
        condition.lock()
        defer { condition.unlock() }
        while !hasEnded { condition.wait() }
        return String(decoding: content, as: UTF8.self)
    }
}
