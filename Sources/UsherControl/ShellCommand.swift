// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A command that a shell runs, with an input of its own.
struct ShellCommand {
    private let command: String
    private let environment: [String: String]

    init(_ command: String, environment: [String: String]) {
        self.command = command
        self.environment = environment
    }

    /// Runs it to its end; its status, or 128 and the number of the signal that ended it.
    ///
    /// The input is in a file that has no name any more, so that a command which does not read it holds up nobody.
    func run(input: String) -> Int32 {
        var name = Array("/tmp/usherctlXXXXXX".utf8CString)
        let file = unsafe mkstemp(&name)
        guard file >= 0 else { return 126 }
        defer { close(file) }
        _ = unsafe unlink(&name)
        let bytes = Array(input.utf8)
        guard unsafe write(file, bytes, bytes.count) == bytes.count else { return 126 }
        lseek(file, 0, SEEK_SET)

        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, file, 0)
        let words = unsafe Self.copies(["sh", "-c", command])
        let variables = unsafe Self.copies(environment.map { "\($0.key)=\($0.value)" })
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, "/bin/sh", &actions, nil, words, variables) == 0 else {
            return 126
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// C strings to be freed, and a null behind them.
    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var copies: [UnsafeMutablePointer<CChar>?] = unsafe []
        for text in texts { unsafe copies.append(strdup(text)) }
        unsafe copies.append(nil)
        return unsafe copies
    }
}
