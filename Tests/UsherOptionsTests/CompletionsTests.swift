// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UsherOptions

/// A shell as the tests need it.
private func isInstalled(_ shell: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + shell)
}

@Suite(.timeLimit(.minutes(5))) struct `Completion scripts` {
    private let program = Completions(
        program: "tool",
        options: [
            CompletedOption(
                Option<Int>("socket", short: "s", "PATH", "It's a [path].") { _, _ in }),
            CompletedOption(
                Option<Int>("limit", "N", "How many: all.") { _, _ in }, commands: ["list"]),
            CompletedOption(Option<Int>("help", short: "h", "Helps.") { _ in }),
        ],
        commands: [
            CompletedCommand(["list"], "Lists: all's here."),
            CompletedCommand(["list", "more"], "Lists more."),
            CompletedCommand(["list", "refresh"], "Lists anew."),
            CompletedCommand(["ping"], "Pings."),
        ])

    private func run(_ shell: String, _ script: String) throws -> [String] {
        // A shell may want to write its own settings there.
        let home = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: home) }
        let process = try ChildProcess(
            "/usr/bin/" + shell, ["-c", script],
            environment: ["PATH": "/usr/bin:/bin", "HOME": home.path], logsOutput: true)
        #expect(process.waitForExit() == 0)
        return process.log.waitForEnd().split(separator: "\n").map(String.init)
    }

    /// What bash offers for the last of some words.
    private func bash(_ words: String...) throws -> Set<String> {
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        return Set(
            try run(
                "bash",
                program.script(for: .bash) + """
                    COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1)
                    _tool; printf '%s\\n' "${COMPREPLY[@]}"
                    """))
    }

    @Test func `of bash name commands, words and options`() throws {
        #expect(try bash("tool", "") == ["list", "ping"])
        #expect(try bash("tool", "p") == ["ping"])
        #expect(try bash("tool", "list", "") == ["more", "refresh"])
        #expect(try bash("tool", "list", "--l") == ["--limit"])
        #expect(try bash("tool", "--") == ["--socket", "--limit", "--help"])
        #expect(try bash("tool", "-s", "/usr/bi").contains("/usr/bin"))
        #expect(try bash("tool", "--limit", "") == [])
        #expect(try bash("tool", "ping", "") == [])
    }

    @Test func `of bash for a program without commands name its options`() throws {
        let plain = Completions(
            program: "plain",
            options: [CompletedOption(Option<Int>("help", short: "h", "Helps.") { _ in })])
        let offered = try run(
            "bash",
            plain.script(for: .bash)
                + "COMP_WORDS=(plain --); COMP_CWORD=1; _plain; printf '%s\\n' \"${COMPREPLY[@]}\"")
        #expect(offered == ["--help"])
    }

    @Test(.enabled(if: isInstalled("fish"), "fish is not installed"))
    func `of fish name commands, words and options`() throws {
        func fish(_ line: String) throws -> [String] {
            try run("fish", program.script(for: .fish) + "complete -C'\(line)'")
        }
        #expect(try fish("tool p") == ["ping\tPings."])
        #expect(try fish("tool list m") == ["more\tLists more."])
        #expect(try fish("tool list --l") == ["--limit\tHow many: all."])
        #expect(try fish("tool --so") == ["--socket\tIt's a [path]."])
        #expect(try fish("tool --l").isEmpty)
    }

    @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed"))
    func `of zsh can be read by it`() throws {
        let file = try temporaryFolder().appending(path: "_tool")
        try Data(program.script(for: .zsh).utf8).write(to: file)
        #expect(try run("zsh", "zsh -n \(file.path)").isEmpty)
        #expect(program.script(for: .zsh).hasPrefix("#compdef tool\n"))
    }

    @Test func `are made for shells that are known`() {
        #expect(throws: UsageError.self) { try Shell(named: "tcsh") }
    }
}
