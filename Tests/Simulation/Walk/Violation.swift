// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A promise that the daemon did not keep, or a walk that could not go on.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func require(_ isKept: Bool, _ promise: @autoclosure () -> String) throws(Violation) {
        guard isKept else { throw Violation(promise()) }
    }
}
