// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A client that is a process of its own, and of another user if that is asked for, which takes root.
///
/// It goes through its steps in order and stays connected until it is killed or the daemon closes. What it receives is
/// in its log, a line each; where the daemon closed, the line is `closed`.
package final class OtherPeer {
    package enum Step {
        /// Makes another connection, the one that the next steps are about.
        case connect
        /// Sends a line and takes the next one that comes.
        case ask(String)
        /// Takes whatever comes until the daemon closes.
        case listen
        /// Goes on once this file exists.
        case await(String)

        fileprivate var word: String {
            switch self {
            case .connect: "connect"
            case .ask(let line): "ask:" + line
            case .listen: "listen"
            case .await(let path): "await:" + path
            }
        }
    }

    /// A user by number, who need not exist.
    package struct User {
        let uid: UInt32
        let gid: UInt32
        let groups: [UInt32]

        package init(_ uid: UInt32, gid: UInt32? = nil, groups: [UInt32] = []) {
            self.uid = uid
            self.gid = gid ?? uid
            self.groups = groups
        }

        /// The command that runs the command which follows it as this user.
        package var wrapper: [String] {
            let names = groups.map(String.init).joined(separator: ",")
            return [
                "/usr/bin/setpriv", "--reuid", "\(uid)", "--regid", "\(gid)",
                groups.isEmpty ? "--clear-groups" : "--groups=\(names)",
            ]
        }

        /// Whether this process can run others as whom it likes.
        package static var canBeAnyone: Bool {
            unsafe geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0
        }
    }

    package let process: ChildProcess

    package init(_ path: String, as user: User? = nil, _ steps: [Step]) throws {
        let command =
            (user?.wrapper ?? [])
            + ["/usr/bin/env", "python3", "-c", Self.program, path]
            + steps.map(\.word)
        process = try ChildProcess(
            command[0], Array(command.dropFirst()),
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"],
            logsOutput: true)
    }

    /// The first lines that it received; throws if they do not come.
    package func received(_ count: Int) throws -> [JSON] {
        let lines = process.log.lines(count)
        guard lines.count >= count else { throw TestFailure("the other peer got only \(lines)") }
        return try lines.prefix(count).map { $0 == "closed" ? .null : try JSON(parsing: $0) }
    }

    private static let program = """
        import os, signal, socket, sys, time
        peers, files = [], []
        def show():
            line = files[-1].readline()
            print(line.rstrip("\\n") if line else "closed", flush=True)
            return bool(line)
        for step in sys.argv[2:]:
            word, _, rest = step.partition(":")
            if word == "connect":
                peer = socket.socket(socket.AF_UNIX)
                peer.connect(sys.argv[1])
                peers.append(peer)
                files.append(peer.makefile(encoding="utf-8", newline="\\n"))
            elif word == "ask":
                try:
                    peers[-1].sendall((rest + "\\n").encode())
                except BrokenPipeError:
                    pass
                show()
            elif word == "listen":
                while show():
                    pass
            elif word == "await":
                while not os.path.exists(rest):
                    time.sleep(0.005)
        signal.pause()
        """
}
