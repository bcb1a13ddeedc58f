// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The README's code is compiled and run, and its tables are the program's own.
@Suite(.timeLimit(.minutes(5))) struct `The README` {
    private let readme: Document

    init() throws {
        readme = try Document("README.md")
    }

    @Test func `shows the program that is compiled and run here`() throws {
        let code = readme.blocks(of: "swift").map { $0.lines.joined(separator: "\n") }
        let program = try Document("Tests/ReadmeExample/main.swift").lines.dropFirst(2)
        let lines = try Document("Tests/ReadmeExample/TenLines.swift").lines
        let body = lines.drop { !$0.hasPrefix("func ") }.dropFirst().prefix { $0 != "}" }
        let short = ["import UsherClient", ""] + body.map { $0.dropFirst(4) }
        #expect(
            code == [
                short.joined(separator: "\n"),
                program.joined(separator: "\n").trimmingCharacters(in: .newlines),
            ])
    }

    @Test func `shows a program that goes on over kill -9 of the daemon`() throws {
        let daemon = try RunningDaemon()
        // Line by line, as on a terminal.
        let program = try ChildProcess(
            "/usr/bin/stdbuf", ["-oL", product("readme-example").path, daemon.socketPath],
            logsOutput: true)
        #expect(program.log.wait(for: "user: Mina Seo"))
        #expect(program.log.wait(for: "movies: 20 from 0 on, anew"))
        let before = try daemon.connect()
        _ = try before.ask("rename Ada")
        #expect(program.log.wait(for: "user: Ada"))
        try daemon.restart()
        let after = try daemon.connect()
        _ = try after.ask("rename Bo")
        _ = try after.ask("more")
        #expect(program.log.wait(for: "user: Bo"))
        #expect(program.log.wait(for: "movies: 20 from 20 on\n"))
        let text = program.log.text
        #expect(text.contains("daemon: "))
        // Nothing comes twice.
        #expect(text.matches(of: /user: Ada/).count == 1)
        #expect(text.matches(of: /from 0 on/).count == 1)
    }

    @Test func `tells the daemon's options as its help does`() throws {
        let program = try ChildProcess(product("usherd").path, ["--help"], logsOutput: true)
        #expect(program.waitForExit() == 0)
        let help = program.log.waitForEnd()
        let options = Set(help.matches(of: /--[a-z-]+/).map { String($0.0) })
        #expect(options.count > 10)
        let rows = readme.table(below: "## Options")
        let documented = rows.map { String($0[0].prefix { !$0.isWhitespace }) }
        #expect(Set(documented) == options)
    }

    @Test func `names only files that are there`() throws {
        for text in [readme.text, try Document("CONTRIBUTING.md").text] {
            let paths = text.matches(of: /`((Sources|Tests)\/[^` ]+)`/).map { String($0.1) }
            #expect(paths.count > 5)
            for path in paths {
                let file = Document.root.appending(path: path).path
                #expect(FileManager.default.fileExists(atPath: file), "\(path)")
            }
        }
    }
}

/// The pages' blocks marked `console`: commands after `$ `, and what they print.
@Suite(.timeLimit(.minutes(5))) struct `A shell` {
    @Test(arguments: ["README.md", "proto-docs/by-hand.md"])
    func `shows what the pages show`(path: String) throws {
        let daemon = try RunningDaemon()
        let programs = try product("usherctl").deletingLastPathComponent().path
        let environment = [
            "S": daemon.socketPath, "USHER_SOCKET": daemon.socketPath, "LC_ALL": "C.UTF-8",
            "PATH": "\(programs):/usr/bin:/bin",
        ]
        let blocks = try Document(path).blocks(of: "console")
        #expect(!blocks.isEmpty)
        for block in blocks {
            var lines = block.lines[...]
            while let command = lines.popFirst() {
                #expect(command.hasPrefix("$ "), "\(command)")
                let expected = lines.prefix { !$0.hasPrefix("$ ") }
                lines = lines.dropFirst(expected.count)
                let shell = try ChildProcess(
                    "/bin/sh", ["-c", String(command.dropFirst(2))], environment: environment,
                    logsOutput: true)
                let output = shell.log.waitForEnd()
                let text = expected.map { $0 + "\n" }.joined()
                #expect(output.withoutChance == text.withoutChance, "\(command)")
            }
        }
    }
}

extension String {
    /// The text without what differs from run to run: cursors and times.
    fileprivate var withoutChance: String {
        replacing(/[0-9a-f]{16}:[0-9]+/, with: "CURSOR")
            .replacing(/"uptime_ms":[0-9]+/, with: "UPTIME")
    }
}
