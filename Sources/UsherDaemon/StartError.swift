// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Why the daemon cannot start, and the status it exits with, from sysexits.h.
package struct StartError: Error, Sendable, CustomStringConvertible {
    /// One line: what is wrong and what to do.
    package let message: String
    package let status: Int32

    package init(_ message: String, status: Int32) {
        self.message = message
        self.status = status
    }

    package var description: String { message }

    static let noInput: Int32 = 66
    static let unavailable: Int32 = 69
    static let cannotCreate: Int32 = 73
    static let misconfigured: Int32 = 78
}
