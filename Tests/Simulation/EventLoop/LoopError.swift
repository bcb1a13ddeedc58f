// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An operation that failed.
package struct LoopError: Error, Equatable, CustomStringConvertible {
    package let operation: String
    /// The positive errno value.
    package let code: Int32

    package init(_ operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    package var name: String { "errno \(code)" }

    package var description: String { "\(operation): \(name)" }
}
