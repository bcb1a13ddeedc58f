// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A file system of a few kilobytes in a mount namespace of its own, so that nothing of it is left when this value goes.
///
/// A process keeps the namespace alive from one daemon to the next.
final class SmallDisk {
    let folder: URL
    private let holder: ChildProcess

    /// Whether this user may have a namespace, tried out once.
    static let isPossible = (try? shell("unshare --mount true").status) == 0

    init(kilobytes: Int) throws {
        folder = try temporaryFolder()
        holder = try ChildProcess.shell(
            "exec unshare --mount sh -c 'mount -t tmpfs -o size=\(kilobytes)k tmpfs \(folder.path)"
                + " && echo ready && exec sleep infinity'")
        guard holder.log.wait(for: "ready") else {
            throw TestFailure("no small disk: \(holder.log.text)")
        }
    }

    deinit {
        holder.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    var store: String { "sqlite:\(folder.path)/usher.db" }

    /// The command that runs the command which follows it where the disk is.
    var wrapper: [String] { ["/usr/bin/nsenter", "--mount=/proc/\(holder.pid)/ns/mnt", "--"] }

    /// The same folder as others see it.
    private var view: URL { URL(filePath: "/proc/\(holder.pid)/root\(folder.path)") }

    func resize(kilobytes: Int) throws { try remount("size=\(kilobytes)k") }

    func makeReadOnly() throws { try remount("ro") }

    private func remount(_ option: String) throws {
        let command = wrapper + ["/usr/bin/mount", "-o", "remount,\(option)", folder.path]
        let status = try ChildProcess(command[0], Array(command.dropFirst())).waitForExit()
        guard status == 0 else { throw TestFailure("remount,\(option): \(status)") }
    }

    /// Takes all the space that is left; ``free()`` gives it back.
    func fill() throws {
        let (_, status) = try shell("cat /dev/zero > \(view.path)/filler")
        guard status != 0 else { throw TestFailure("the disk has no end") }
    }

    func free() throws { try FileManager.default.removeItem(at: view.appending(path: "filler")) }

    /// The files of a store on it, by name, without the lock.
    func files() throws -> [String: Data] { try storeFiles(in: view) }
}
