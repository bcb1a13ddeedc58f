// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import TestSupport

/// A real `usherctl` that is running, its output and its errors in pipes.
final class RunningControl {
    let output: ProcessLog
    var errors: ProcessLog { process.log }
    private let process: ChildProcess
    private let folder: URL

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        folder = try temporaryFolder()
        let pipe = folder.appending(path: "output").path
        guard unsafe mkfifo(pipe, 0o600) == 0 else { throw TestFailure("mkfifo: errno \(errno)") }
        process = try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" > '\(pipe)'", product("usherctl").path] + arguments,
            environment: ["PATH": "/usr/bin:/bin"].merging(environment) { $1 })
        // Each side waits here until the other one has come.
        output = ProcessLog(reading: unsafe open(pipe, O_RDONLY | O_CLOEXEC))
    }

    deinit {
        process.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Waits for the end; -N if signal N ended it.
    func waitForExit() -> Int32 { process.waitForExit() }
}

/// What a command wrote, and how it ended.
struct Outcome: Equatable {
    var output: String
    var errors = ""
    var status: Int32

    /// The lines of the output without their ends.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
}

extension Outcome {
    /// Runs usherctl to its end.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let control = try RunningControl(arguments, environment: environment)
        status = control.waitForExit()
        output = control.output.waitForEnd()
        errors = control.errors.waitForEnd()
    }

    /// Runs usherctl to its end with a pseudo-terminal of so many columns for output and errors,
    /// which both come as output.
    init(
        onTerminalOf columns: Int, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
        let words = [try product("usherctl").path] + arguments
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        let process = try ChildProcess(
            "/usr/bin/script", ["-qec", "stty cols \(columns); \(command)", "/dev/null"],
            environment: ["PATH": "/usr/bin:/bin", "TERM": "xterm"].merging(environment) { $1 },
            logsOutput: true)
        status = process.waitForExit()
        output = process.log.waitForEnd().replacing("\r\n", with: "\n")
    }
}

extension RunningDaemon {
    /// What usherctl says of this daemon.
    func control(_ arguments: String...) throws -> Outcome {
        try Outcome(["--socket", socketPath] + arguments)
    }
}
