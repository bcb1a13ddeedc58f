// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that runs beside the test, by `posix_spawn` and `waitpid` alone.
///
/// Foundation's `Process` waits by a run loop of the calling thread, which tests that share threads cannot rely on.
package final class ChildProcess {
    package let pid: Int32
    /// What it writes to standard error, and to standard output if that was asked for.
    package let log: ProcessLog
    private var status: Int32?

    /// Starts a program with nothing on its standard input; its standard output goes to the log too, or nowhere.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:],
        logsOutput: Bool = false
    ) throws {
        var ends: [Int32] = [0, 0]
        // A pipe could only be marked in a second step, and a child of another thread inherit it before.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw TestFailure("no socket pair: errno \(errno)")
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if logsOutput {
            unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        Self.keepDescriptors
        let words = CStrings([path] + arguments)
        // A program that ends holds live objects, some by pointers that the leak check cannot read (the side tables of
        // weak references, the frames of tasks). Leaks are looked for in the test's own process.
        let all = environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { given, _ in given }
        let variables = CStrings(all.map { "\($0.key)=\($0.value)" })
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        Self.clearSignalMask(&attributes)
        var pid: pid_t = 0
        let status = unsafe posix_spawn(
            &pid, path, &actions, &attributes, words.pointers, variables.pointers)
        unsafe posix_spawn_file_actions_destroy(&actions)
        unsafe posix_spawnattr_destroy(&attributes)
        _ = close(ends[1])
        guard status == 0 else {
            _ = close(ends[0])
            throw TestFailure("\(path) cannot be started: errno \(status)")
        }
        self.pid = pid
        log = ProcessLog(reading: ends[0])
    }

    deinit {
        kill()
    }

    /// Lets all signals through to a child, as a shell does; the threads that tests run on block most, and a child
    /// inherits that.
    private static func clearSignalMask(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    }

    /// Keeps what this process got from its own parent from its children, which count their descriptors.
    private static let keepDescriptors: Void = {
        for descriptor in Int32(3)..<1_024 where fcntl(descriptor, F_GETFD) == 0 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }()

    package func signal(_ signal: Int32) {
        if status == nil { Glibc.kill(pid, signal) }
    }

    /// Ends it with no chance to do anything, and waits for the end.
    package func kill() {
        signal(SIGKILL)
        _ = waitForExit()
    }

    /// Waits for its end and gives its status; -N if signal N ended it.
    @discardableResult
    package func waitForExit() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while unsafe waitpid(pid, &raw, 0) < 0, errno == EINTR {}
        let signal = raw & 0x7F
        let result = signal == 0 ? (raw >> 8) & 0xFF : -signal
        status = result
        return result
    }
}

/// C strings, with a null after the last.
@safe
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        unsafe pointers = .allocate(capacity: count + 1)
        unsafe pointers.initialize(repeating: nil, count: count + 1)
        for (index, text) in texts.enumerated() { unsafe pointers[index] = strdup(text) }
    }

    deinit {
        for index in 0..<count { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }
}
