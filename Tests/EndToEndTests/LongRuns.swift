// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation

/// How long the tests run that have no natural end, as the environment says.
enum LongRuns {
    /// Restarts of the daemon; a thousand take some minutes.
    static let restarts = number("USHER_RESTARTS") ?? 5
    /// Loops that are opened and cancelled; none unless asked for, since the memory of the whole
    /// process is measured, which must do nothing else meanwhile.
    static let loops = number("USHER_LOOPS") ?? 0

    private static func number(_ variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }
}
