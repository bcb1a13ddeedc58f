// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc

/// What a process writes: all that it wrote so far, whenever somebody looks.
///
/// A thread of its own reads it, so that the process never waits; who looks reads what that thread has not yet, so that
/// a line that was written before an answer was sent is there for whoever has the answer.
package final class ProcessLog: @unchecked Sendable {
    private let descriptor: Int32
    private let condition = NSCondition()
    private var content: [UInt8] = []
    private var hasEnded = false

    /// Reads a descriptor, which is closed at its end.
    package init(reading descriptor: Int32) {
        self.descriptor = descriptor
        let thread = Thread { [self] in
            while condition.withLock({ !hasEnded }) {
                _ = isReadable(within: -1)
                condition.withLock { readWhatIsThere() }
            }
            _ = close(descriptor)
        }
        thread.start()
    }

    /// All that was written so far.
    package var text: String {
        condition.withLock {
            readWhatIsThere()
            return String(decoding: content, as: UTF8.self)
        }
    }

    /// Waits for something to read, or the end, so many milliseconds; -1 waits for ever.
    private func isReadable(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    private func readWhatIsThere() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !hasEnded, isReadable(within: 0) {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            content += buffer[..<max(count, 0)]
            hasEnded = count <= 0
            condition.broadcast()
        }
    }

    /// Waits until the text was written; false if the process closed its end before, or after `timeout` seconds.
    package func wait(for text: String, timeout: TimeInterval = 30) -> Bool {
        let deadline = Date(timeIntervalSinceNow: timeout)
        return condition.withLock {
            while !String(decoding: content, as: UTF8.self).contains(text) {
                if hasEnded || !condition.wait(until: deadline) { return false }
            }
            return true
        }
    }

    /// Waits until so many lines were written, and gives all there are; fewer if the process closed its end before, or
    /// after `timeout` seconds.
    package func lines(_ count: Int, timeout: TimeInterval = 30) -> [String] {
        let deadline = Date(timeIntervalSinceNow: timeout)
        return condition.withLock {
            while content.count(where: { $0 == 0x0A }) < count, !hasEnded {
                if !condition.wait(until: deadline) { break }
            }
            return String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// Waits until the process closed its end, and gives all it wrote.
    package func waitForEnd() -> String {
        condition.withLock {
            while !hasEnded { condition.wait() }
            return String(decoding: content, as: UTF8.self)
        }
    }
}
