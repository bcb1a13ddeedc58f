// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a command line as a person would type it, and gives what it wrote and its status.
package func shell(_ command: String) throws -> (output: String, status: Int32) {
    let process = try ChildProcess.shell(command)
    let output = process.log.waitForEnd()
    return (output, process.waitForExit())
}

extension ChildProcess {
    /// Starts a command line whose output and errors go to the log.
    package static func shell(_ command: String) throws -> ChildProcess {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try ChildProcess(
            "/bin/sh", ["-c", command], environment: ["PATH": path], logsOutput: true)
    }
}

/// Whether a program can be called by its name.
package func isInstalled(_ program: String) -> Bool {
    (try? shell("command -v \(program)"))?.status == 0
}
