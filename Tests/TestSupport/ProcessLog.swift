// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc

/// What a process writes, as far as it came, read by a thread of its own until its end.
package final class ProcessLog: @unchecked Sendable {
    private let condition = NSCondition()
    private var content: [UInt8] = []
    private var hasEnded = false

    /// Reads a descriptor, which is closed at its end.
    package init(reading descriptor: Int32) {
        let thread = Thread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                condition.withLock {
                    content += buffer[..<max(count, 0)]
                    hasEnded = count <= 0
                    condition.broadcast()
                }
                if count <= 0 { break }
            }
            _ = close(descriptor)
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
