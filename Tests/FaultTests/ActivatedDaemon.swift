// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

/// A daemon whose socket somebody else keeps, who starts it anew whenever it has ended, as systemd does.
final class ActivatedDaemon {
    let folder: URL
    var socketPath: String { folder.path + "/s" }
    private let keeper: ChildProcess
    private var starts = 0

    init(_ arguments: [String]) throws {
        folder = try temporaryFolder()
        keeper = try ChildProcess(
            "/usr/bin/env",
            ["python3", "-uc", Self.program, folder.path + "/s", try product("usherd").path]
                + ["--store", "sqlite:\(folder.path)/usher.db"] + arguments,
            environment: ["PATH": "/usr/bin:/bin", "HOME": "/dev/null"], logsOutput: true)
    }

    deinit {
        if let pid = try? pid { kill(pid, SIGKILL) }
        keeper.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The process of the daemon that was started last.
    var pid: Int32 {
        get throws {
            let starts = keeper.log.text.split(separator: "\n").filter { $0.hasPrefix("started ") }
            guard let pid = starts.last.flatMap({ Int32($0.dropFirst(8)) }) else {
                throw TestFailure("no daemon: \(keeper.log.text)")
            }
            return pid
        }
    }

    /// Waits for so many daemons to have served, the last of which may still do so.
    func waitForStart(_ count: Int) -> Bool {
        eventually { keeper.log.text.matches(of: /serving on/).count >= count }
    }

    /// The statuses of the daemons that have ended.
    var statuses: [Int32] {
        keeper.log.text.matches(of: /ended (-?\d+)/).compactMap { Int32($0.1) }
    }

    func terminate() throws { kill(try pid, SIGTERM) }

    private static let program = """
        import os, socket, sys
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(sys.argv[1])
        listener.listen(512)
        while True:
            pid = os.fork()
            if pid == 0:
                os.dup2(listener.fileno(), 3)
                os.set_inheritable(3, True)
                os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
                os.execv(sys.argv[2], sys.argv[2:])
            print("started", pid)
            print("ended", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """
}
