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
    package let configurationFile: URL
    private let arguments: [String]
    private let environment: [String: String]
    private let wrapper: [String]
    private var process: ChildProcess

    /// Starts a daemon; without `arguments` it has made-up users that answer at once and the sample movies.
    ///
    /// Its configuration file has the text `configuration`; the machine's own is not read. `wrapper` is a command that
    /// runs the command which follows it, such as `prlimit --nofile=64`.
    package init(
        _ arguments: [String] = RunningDaemon.demo, store: String? = nil,
        configuration: String = "", environment: [String: String] = [:],
        through wrapper: [String] = []
    ) throws {
        folder = try temporaryFolder()
        socketPath = folder.path + "/s"
        configurationFile = folder.appending(path: "usherd.conf")
        try Data(configuration.utf8).write(to: configurationFile)
        self.arguments =
            ["--config", configurationFile.path, "--socket", socketPath]
            + ["--store", store ?? "sqlite:\(folder.path)/usher.db"] + arguments
        self.environment = environment
        self.wrapper = wrapper
        process = try Self.launch(self.arguments, environment, through: wrapper)
        try waitUntilServing()
    }

    deinit {
        process.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Users that are loaded at once and never fail.
    package static let demo = [
        "--users", "demo", "--demo-delay", "0", "--demo-failure-rate", "0",
    ]

    package var pid: Int32 { process.pid }

    /// What it logged since its last start.
    package var log: ProcessLog { process.log }

    /// Ends it with no chance to do anything, and waits for the end.
    package func kill() { process.kill() }

    package func signal(_ signal: Int32) { process.signal(signal) }

    /// Waits for its end and gives its status; -N if signal N ended it.
    package func waitForExit() -> Int32 { process.waitForExit() }

    /// Asks it to end, and gives its status.
    package func terminate() -> Int32 {
        signal(SIGTERM)
        return waitForExit()
    }

    /// Starts it again on the same socket and store.
    package func restart() throws {
        try begin()
        try waitUntilServing()
    }

    /// Starts it again and does not wait for it to serve.
    package func begin() throws {
        kill()
        process = try Self.launch(arguments, environment, through: wrapper)
    }

    /// Starts it again by a wrapper of its own; false if it ends before it serves.
    package func restart(through wrapper: [String]) throws -> Bool {
        kill()
        process = try Self.launch(arguments, environment, through: wrapper)
        return log.wait(for: "serving on")
    }

    /// Lets other users reach the socket, in a folder that is only this user's otherwise.
    package func letAnyoneIn() throws {
        guard unsafe chmod(folder.path, 0o755) == 0 else {
            throw TestFailure("chmod: errno \(errno)")
        }
    }

    /// A new connection to it, which keeps it.
    package func connect() throws -> LineClient {
        try LineClient(path: socketPath, keeping: self)
    }

    /// Starts the program and does not wait for anything; by the program named in `USHER_TEST_WRAPPER`, if there is one.
    package static func launch(
        _ arguments: [String], _ environment: [String: String] = [:],
        through wrapper: [String] = []
    ) throws -> ChildProcess {
        let outer = [ProcessInfo.processInfo.environment["USHER_TEST_WRAPPER"]].compactMap(\.self)
        let command = outer + wrapper + [try product("usherd").path] + arguments
        return try ChildProcess(
            command[0], Array(command.dropFirst()),
            environment: ["HOME": "/dev/null", "PATH": "/usr/bin:/bin"]
                .merging(environment) { $1 })
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

/// A program of this package: as built together with the tests, or the one in the folder `USHER_TEST_PROGRAMS`.
package func product(_ name: String) throws -> URL {
    if let folder = ProcessInfo.processInfo.environment["USHER_TEST_PROGRAMS"] {
        return URL(filePath: folder).appending(path: name)
    }
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    var folder = URL(filePath: tests).deletingLastPathComponent()
    while folder.path != "/" {
        let program = folder.appending(path: name)
        if FileManager.default.isExecutableFile(atPath: program.path) { return program }
        folder.deleteLastPathComponent()
    }
    throw TestFailure("\(name) is not built; run swift build --build-tests")
}
