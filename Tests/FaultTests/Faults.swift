// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// How much is broken: a sample of each kind, or all with `USHER_FAULTS=all`, which takes some ten minutes.
enum Faults {
    static let areAll = ProcessInfo.processInfo.environment["USHER_FAULTS"] == "all"

    /// A number for a sample, another for all.
    static func number(_ sample: Int, all: Int) -> Int { areAll ? all : sample }
}

/// What strace does to a system call: kills the process before it, or makes the call fail.
struct Injection: CustomStringConvertible {
    let call: String
    let fault: String
    /// Which of the calls of a thread, as strace counts them: `3`, or `3..5`, or `3+` for all from the third on.
    let when: String
    /// The files that the calls are about, or any.
    var files: [String] = []

    static let isPossible = FileManager.default.isExecutableFile(atPath: strace)
    private static let strace = "/usr/bin/strace"

    static func kill(at call: String, _ number: Int) -> Injection {
        Injection(call: call, fault: "signal=SIGKILL", when: "\(number)")
    }

    static func fail(_ call: String, _ error: String, _ when: String) -> Injection {
        Injection(call: call, fault: "error=\(error)", when: when)
    }

    /// The command that runs the command which follows it so; the process stays this one's own child.
    var wrapper: [String] {
        [Self.strace, "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e"]
            + ["inject=\(call):\(fault):when=\(when)"] + files.flatMap { ["-P", $0] }
    }

    var description: String { "\(call):\(fault):\(when)" }
}

extension RunningDaemon {
    /// Where the store is, its log and what else belongs to it.
    var storePaths: [String] {
        ["usher.db", "usher.db-wal", "usher.db-journal", "usher.db.lock"].map {
            "\(folder.path)/\($0)"
        }
    }

    /// The files of its store, by name, without the lock.
    func storeFiles() throws -> [String: Data] { try FaultTests.storeFiles(in: folder) }

    /// Takes away all that belongs to the store.
    func removeStore() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("usher.db") {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    /// Puts files back in place of those that there are; the lock stays, as where somebody restores a copy of a database.
    func restoreStore(_ files: [String: Data]) throws {
        for name in try storeFiles().keys {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        for (name, content) in files { try content.write(to: folder.appending(path: name)) }
    }

    /// What SQLite finds wrong in a copy of the store, its log included; nil if nothing.
    func damage() throws -> String? {
        let copy = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: copy) }
        for (name, content) in try storeFiles() {
            try content.write(to: copy.appending(path: name))
        }
        let file = copy.appending(path: "usher.db")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let verdict = try integrity(of: file.path)
        return verdict == "ok" ? nil : verdict
    }
}

/// The files of the store in a folder, by name, without the lock.
func storeFiles(in folder: URL) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasPrefix("usher.db") && !$0.hasSuffix(".lock") }
    return try Dictionary(
        uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) })
}

/// Builds a library of this folder that a daemon is to load before the C library, and gives its path.
func preloaded(_ name: String, in folder: URL) throws -> String {
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "\(name).c")
    let library = folder.appending(path: "\(name).so")
    let (output, status) = try shell(
        "cc -Wall -Werror -O1 -shared -fPIC -o \(library.path) \(source.path)")
    guard status == 0 else { throw TestFailure(output) }
    return library.path
}
