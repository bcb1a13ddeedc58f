// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

extension RunningDaemon {
    /// Bytes of memory that the process has in use.
    package var residentBytes: Int {
        get throws { try field("VmRSS:") * 1_024 }
    }

    /// Whether the process has less than so many bytes more in use than before.
    ///
    /// AddressSanitizer keeps what was freed for a while, so that nothing can be said under it.
    package func hasGrown(from before: Int, byLessThan limit: Int) throws -> Bool {
        try isAddressSanitized || residentBytes - before < limit
    }

    /// How often the main thread has gone to sleep.
    package var sleeps: Int {
        get throws { try field("voluntary_ctxt_switches:") }
    }

    /// The descriptors that it has open.
    package var descriptors: Set<Int> {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
            return Set(names.compactMap { Int($0) })
        }
    }

    /// Milliseconds of processor time that all its threads have used, in ticks of most often ten.
    package var processorMilliseconds: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            // The name before may hold anything, parentheses too.
            guard let end = text.lastIndex(of: ")") else { throw TestFailure("no /proc/stat") }
            let fields = text[text.index(after: end)...].split(separator: " ")
            guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
                throw TestFailure("no times in /proc/stat")
            }
            return (user + system) * 1_000 / Int(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    private func field(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let number = line?.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first,
            let value = Int(number)
        else { throw TestFailure("the daemon has no \(name) in /proc") }
        return value
    }

    /// Runs a program to its end, and fails unless it exits with 0.
    package static func run(_ command: String...) throws {
        let status = try ChildProcess(command[0], Array(command.dropFirst())).waitForExit()
        guard status == 0 else { throw TestFailure("\(command.joined(separator: " ")): \(status)") }
    }
}

/// Waits until a condition holds that nothing announces; false if it does not within half a minute.
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: 30)
    while try !condition() {
        if Date.now > deadline { return false }
        usleep(5_000)
    }
    return true
}

/// Whether the tests, and so the programs beside them, were built with AddressSanitizer.
private let isAddressSanitized = unsafe dlsym(nil, "__asan_init") != nil
