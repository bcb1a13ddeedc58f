// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc

/// A real `usherd` in a folder of its own, which goes with it.
///
/// It serves when the initialiser returns. Not thread-safe.
package final class RunningDaemon {
    /// The folder of its socket and its store.
    package let folder: URL
    package let socketPath: String
    package private(set) var log: ProcessLog
    private let arguments: [String]
    private let environment: [String: String]
    private var process: Process

    /// Starts a daemon; without `arguments` it has made-up users that answer at once and the sample movies.
    package init(
        _ arguments: [String] = RunningDaemon.demo, store: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        folder = try temporaryFolder()
        socketPath = folder.path + "/s"
        self.arguments =
            ["--socket", socketPath, "--store", store ?? "sqlite:\(folder.path)/usher.db"]
            + arguments
        self.environment = environment
        (process, log) = try Self.launch(self.arguments, environment)
        try waitUntilServing()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Users that are loaded at once and never fail.
    package static let demo = [
        "--users", "demo", "--demo-delay", "0", "--demo-failure-rate", "0",
    ]

    package var pid: Int32 { process.processIdentifier }

    /// Ends it with no chance to do anything, and waits for the end.
    package func kill() {
        guard process.isRunning else { return }
        Glibc.kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    package func signal(_ signal: Int32) {
        Glibc.kill(pid, signal)
    }

    /// Waits for its end and gives its status; -N if signal N ended it.
    package func waitForExit() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .exit
            ? process.terminationStatus : -process.terminationStatus
    }

    /// Asks it to end, and gives its status.
    package func terminate() -> Int32 {
        signal(SIGTERM)
        return waitForExit()
    }

    /// Starts it again on the same socket and store.
    package func restart() throws {
        kill()
        (process, log) = try Self.launch(arguments, environment)
        try waitUntilServing()
    }

    /// A new connection to it.
    package func connect() throws -> LineClient {
        try LineClient(path: socketPath)
    }

    /// Starts a second process of the same program; it is not waited for.
    package static func launch(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> (Process, ProcessLog) {
        let process = Process()
        process.executableURL = try product("usherd")
        process.arguments = arguments
        process.environment = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardError = pipe
        let log = ProcessLog(reading: pipe.fileHandleForReading)
        try process.run()
        return (process, log)
    }

    private func waitUntilServing() throws {
        guard log.wait(for: "serving on") else {
            throw TestFailure("usherd did not start: \(log.text)")
        }
    }
}

/// Something that a test needs and does not have.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A new folder with a short path, since a socket's path has at most 107 bytes.
package func temporaryFolder() throws -> URL {
    var template = Array("/tmp/ushXXXXXX".utf8CString)
    guard let path = unsafe mkdtemp(&template) else {
        throw TestFailure("no folder can be made in /tmp")
    }
    return URL(filePath: unsafe String(cString: path))
}

/// A program of this package, as built together with the tests.
package func product(_ name: String) throws -> URL {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    var folder = URL(filePath: tests).deletingLastPathComponent()
    while folder.path != "/" {
        let program = folder.appending(path: name)
        if FileManager.default.isExecutableFile(atPath: program.path) { return program }
        folder.deleteLastPathComponent()
    }
    throw TestFailure("\(name) is not built; run swift build --build-tests")
}
