// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

/// A bare libuv server that does the least for the daemon's traffic, in a folder that goes with it.
final class FloorServer {
    let path: String
    private let folder: URL
    private let process: ChildProcess

    init() throws {
        folder = try temporaryFolder()
        path = folder.path + "/s"
        let command = Core.first.wrapper + [try product("usher-floor").path, path]
        process = try ChildProcess(command[0], Array(command.dropFirst()))
        guard process.log.wait(for: "serving on") else {
            throw TestFailure("usher-floor did not start: \(process.log.text)")
        }
    }

    deinit {
        process.kill()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Lets this process have as many connections as a measurement needs.
func raiseDescriptorLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Where programs run: those that are measured on one core, what measures them on another.
///
/// Otherwise the kernel moves them about, and the same run gives other figures each time.
enum Core: Int {
    case first, second

    /// A command that has the one which follows it run there.
    var wrapper: [String] {
        Self.areTwo ? ["/usr/bin/taskset", "-c", "\(rawValue)"] : []
    }

    /// Has this process run there.
    func take() {
        guard Self.areTwo else { return }
        try? RunningDaemon.run(
            "/usr/bin/taskset", "-cp", "\(rawValue)", "\(getpid())")
    }

    private static let areTwo =
        ProcessInfo.processInfo.activeProcessorCount > 1
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/taskset")
}
