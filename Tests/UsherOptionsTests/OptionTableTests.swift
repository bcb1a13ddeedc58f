// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherOptions

/// What a command line asked for, in order.
private struct Settings: Equatable {
    var asked: [String] = []
}

private var table: OptionTable<Settings> {
    OptionTable([
        Option("socket", short: "s", "PATH", "The socket.") { settings, path in
            settings.asked.append("socket=\(path)")
        },
        Option("socket-mode", "MODE", "Who may connect.") { (settings, text) throws(UsageError) in
            guard text != "bad" else { throw UsageError("--socket-mode is octal, not \(text)") }
            settings.asked.append("mode=\(text)")
        },
        Option("store", "PATH", "Where to keep all.") { settings, path in
            settings.asked.append("store=\(path)")
        },
        Option("verbose", short: "v", "Say more.") { $0.asked.append("verbose") },
        Option("version", "Say the version.") { $0.asked.append("version") },
        Option("help", short: "h", "Say this.") { $0.asked.append("help") },
    ])
}

private func parse(
    _ words: [String], stopsAtOperand: Bool = false
) throws(UsageError) -> (asked: [String], operands: [String]) {
    var settings = Settings()
    let operands = try table.parse(
        ["prog"] + words, into: &settings, stopsAtOperand: stopsAtOperand)
    return (settings.asked, operands)
}

private func mistake(_ words: [String]) -> String? {
    do throws(UsageError) {
        _ = try parse(words)
        return nil
    } catch {
        return error.message
    }
}

struct OptionTableTests {
    @Test(
        arguments: [
            ([], [], []),
            (["--socket", "/a"], ["socket=/a"], []), (["--socket=/a"], ["socket=/a"], []),
            (["--socket="], ["socket="], []), (["--socket=a=b"], ["socket=a=b"], []),
            (["--socket", "--verbose"], ["socket=--verbose"], []),
            (["-s", "/a"], ["socket=/a"], []), (["-s/a"], ["socket=/a"], []),
            (["-s=/a"], ["socket==/a"], []),
            (["-v", "-h"], ["verbose", "help"], []), (["-vh"], ["verbose", "help"], []),
            (["-vs/a"], ["verbose", "socket=/a"], []),
            (["-vs", "/a"], ["verbose", "socket=/a"], []),
            (["--verbose", "--verbose"], ["verbose", "verbose"], []),
            (["a", "-v", "b"], ["verbose"], ["a", "b"]), (["-v", "--", "-h"], ["verbose"], ["-h"]),
            (["--", "--"], [], ["--"]), (["-"], [], ["-"]), ([""], [], [""]),
            (["--socket-mode", "0660", "x", "--store=é 🎬"], ["mode=0660", "store=é 🎬"], ["x"]),
        ] as [([String], [String], [String])])
    func `A command line is read as getopt reads it`(
        words: [String], asked: [String], operands: [String]
    ) throws {
        let result = try parse(words)
        #expect(result.asked == asked)
        #expect(result.operands == operands)
    }

    @Test(
        arguments: [
            (["--verb"], ["verbose"]), (["--vers"], ["version"]), (["--he"], ["help"]),
            (["--st", "x"], ["store=x"]), (["--socket-", "1"], ["mode=1"]),
            (
                ["--socket", "1"],
                ["socket=1"]
            ),
        ] as [([String], [String])])
    func `A name may be cut short where only one option begins so`(
        words: [String], asked: [String]
    ) throws {
        #expect(try parse(words).asked == asked)
    }

    @Test(
        arguments: [
            (["--ver"], "--ver may be --verbose or --version; write it out"),
            (["--v"], "--v may be --verbose or --version; write it out"),
            (["--s=x"], "--s may be --socket or --socket-mode or --store; write it out"),
            (["--sock", "x"], "--sock may be --socket or --socket-mode; write it out"),
            (["--nope"], "there is no option --nope; see --help"),
            (["--nope=1"], "there is no option --nope; see --help"),
            (["--verbosely"], "there is no option --verbosely; did you mean --verbose?"),
            (["--Verbose"], "there is no option --Verbose; did you mean --verbose?"),
            (["-x"], "there is no option -x; see --help"),
            (["-xv"], "there is no option -x; see --help"),
            (["-vx"], "there is no option -x; see --help"),
            (["-vxh"], "there is no option -x; see --help"),
            (["a", "-xv", "b"], "there is no option -x; see --help"),
            (["a", "--nope", "b"], "there is no option --nope; see --help"),
            (["-é"], "there is no option -é; see --help"),
            (["--socket"], "--socket needs an argument; see --help"),
            (["--sto"], "--store needs an argument; see --help"),
            (["-s"], "-s needs an argument; see --help"),
            (["-vs"], "-s needs an argument; see --help"),
            (["a", "-v", "--socket"], "--socket needs an argument; see --help"),
            (["--verbose=1"], "--verbose takes no argument; see --help"),
            (["--verb=1"], "--verbose takes no argument; see --help"),
            (["--verbose="], "--verbose takes no argument; see --help"),
            (["--socket-mode=bad"], "--socket-mode is octal, not bad"),
        ] as [([String], String)])
    func `A mistake is told by its name and what to do`(words: [String], message: String) {
        #expect(mistake(words) == message)
    }

    @Test func `With stopsAtOperand the first operand and all after it are left alone`() throws {
        let result = try parse(["-v", "watch", "-h", "--nope"], stopsAtOperand: true)
        #expect(result.asked == ["verbose"])
        #expect(result.operands == ["watch", "-h", "--nope"])
        let ended = try parse(["-v", "--", "-h", "x"], stopsAtOperand: true)
        #expect(ended.asked == ["verbose"])
        #expect(ended.operands == ["-h", "x"])
    }

    @Test func `What stands before a mistake was applied, nothing after it`() {
        var settings = Settings()
        #expect(throws: UsageError("there is no option --nope; see --help")) {
            try table.parse(["prog", "-v", "--nope", "-h"], into: &settings)
        }
        #expect(settings.asked == ["verbose"])
    }

    @Test func `A parse begins anew, also after one that failed inside a word`() throws {
        #expect(mistake(["-vxh", "y"]) != nil)
        #expect(try parse(["-h"]).asked == ["help"])
        #expect(try parse(["z", "-v"]).operands == ["z"])
    }

    @Test func `A command line without even a program's name asks for nothing`() throws {
        var settings = Settings()
        #expect(try table.parse([], into: &settings) == [])
        #expect(settings == Settings())
    }

    @Test func `Threads may parse at the same time`() async {
        await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<16 {
                group.addTask {
                    (0..<100).allSatisfy { round in
                        let words = ["a\(round)", "-vs", "/\(thread)", "--store=\(round)", "-h"]
                        guard let result = try? parse(words) else { return false }
                        return result.operands == ["a\(round)"]
                            && result.asked
                                == ["verbose", "socket=/\(thread)", "store=\(round)", "help"]
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `Help lists every option in a column, and wraps what is too long for it`() {
        let table = OptionTable<Settings>([
            Option("socket", short: "s", "PATH", "The socket.") { _, _ in },
            Option("verbose", "Say more.") { _ in },
            Option("fifteen-letters", "WORD", "Just fits.") { _, _ in },
            Option("sixteen-letters-", "WORD", "Does not.") { _, _ in },
        ])
        #expect(
            table.help == """
                  -s, --socket PATH           The socket.
                      --verbose               Say more.
                      --fifteen-letters WORD  Just fits.
                      --sixteen-letters- WORD
                                              Does not.
                """)
        for line in table.help.split(separator: "\n") { #expect(line.count <= 80) }
    }
}
