// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing
internal import UsherControl

/// The real program on a pseudo-terminal.
@Suite struct TerminalTests {
    /// A daemon with films whose titles are hard to lay out, or hostile; its first page is there.
    private static func daemonWithFilms() throws -> RunningDaemon {
        let films = """
            [{"id":496243,"title":"기생충","release_date":"2019-05-30","vote_average":8.5},
             {"id":129,"title":"千と千尋の神隠し","release_date":"2001-07-20","vote_average":8.54},
             {"id":7,"title":"Ame\\u0301lie 👩‍👩‍👧‍👦","release_date":"2001-04-25","vote_average":10},
             {"id":8,"title":"x\\u001b]52;c;aGk=\\u0007\\u009b2J\\u202ey","release_date":"1999-01-01"}]
            """
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "films.json")
        try Data(films.utf8).write(to: file)
        let daemon = try RunningDaemon(
            RunningDaemon.demo + ["--movies", "file:\(file.path)"], store: "memory")
        #expect(try daemon.control("movies", "more").status == 0)
        return daemon
    }

    /// The column at which a part of a line begins.
    private func column(of part: String, in line: String) throws -> Int {
        let range = try #require(line.range(of: part))
        return String(line[..<range.lowerBound]).displayWidth
    }

    @Test func `Korean, Japanese, combining and emoji titles line up under a header`() throws {
        let daemon = try Self.daemonWithFilms()
        let outcome = try Outcome(
            onTerminalOf: 80, ["--socket", daemon.socketPath, "movies"],
            environment: ["NO_COLOR": "1"])
        let lines = outcome.lines
        try #require(lines.count == 5)
        #expect(lines[0].hasPrefix("    ID  TITLE"))
        #expect(lines[1].hasPrefix("496243  기생충  "))
        let column = try column(of: "RELEASED", in: lines[0])
        for (line, day) in zip(lines.dropFirst(), ["2019-05-30", "2001-07-20", "2001-04-25"]) {
            #expect(try self.column(of: day, in: line) == column)
        }
        let ratings = try zip(lines.dropFirst(), ["8.5", "8.5", "10.0"]).map { line, rating in
            try self.column(of: rating, in: line) + rating.count
        }
        #expect(Set(ratings).count == 1)
    }

    @Test func `A narrow terminal truncates titles and nothing else`() throws {
        let daemon = try Self.daemonWithFilms()
        let outcome = try Outcome(
            onTerminalOf: 38, ["--socket", daemon.socketPath, "movies"],
            environment: ["NO_COLOR": "1"])
        #expect(outcome.lines[2] == "   129  千と千尋…   2001-07-20     8.5")
        #expect(outcome.lines.allSatisfy { $0.displayWidth <= 38 })
    }

    @Test func `A hostile title reaches neither terminal, pipe nor JSON as it is`() throws {
        let daemon = try Self.daemonWithFilms()
        let expected = "x\u{FFFD}]52;c;aGk=\u{FFFD}\u{FFFD}2J\u{FFFD}y"
        let table = try Outcome(onTerminalOf: 80, ["--socket", daemon.socketPath, "movies"])
        #expect(table.lines.last?.contains(expected) == true)
        #expect(try daemon.control("movies").output.contains(expected))
        let json = try daemon.control("movies", "--json").output
        #expect(json.contains("x\\u001b]52;c;aGk=\\u0007\\u009b2J\\u202ey"))
    }

    @Test func `The header is bold unless NO_COLOR says otherwise, and a pipe has no colour`()
        throws
    {
        let daemon = try Self.daemonWithFilms()
        let colored = try Outcome(onTerminalOf: 80, ["-s", daemon.socketPath, "movies"])
        #expect(colored.output.hasPrefix("\u{1B}[1m"))
        let plain = try Outcome(
            onTerminalOf: 80, ["-s", daemon.socketPath, "movies"], environment: ["NO_COLOR": "1"])
        #expect(!plain.output.contains("\u{1B}"))
        #expect(try !daemon.control("movies").output.contains("\u{1B}"))
    }

    @Test func `A spinner turns while something loads, and is gone before the output`() throws {
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "1", "--demo-failure-rate", "0"], store: "memory")
        let outcome = try Outcome(
            onTerminalOf: 80, ["-s", daemon.socketPath, "user", "fetch"],
            environment: ["NO_COLOR": "1"])
        let parts = outcome.output.split(separator: "\r\u{1B}[K")
        try #require(parts.count == 2)
        #expect(parts[0].contains("⠋ fetching the user…"))
        #expect(parts[1].hasPrefix("STATE   ID  NAME"))

        let piped = try daemon.control("user", "fetch")
        #expect(piped.errors == "")
        #expect(piped.output.hasPrefix("loaded\t"))
    }

    @Test func `What answers at once shows no spinner`() throws {
        let daemon = try RunningDaemon(store: "memory")
        let outcome = try Outcome(
            onTerminalOf: 80, ["-s", daemon.socketPath, "user"], environment: ["NO_COLOR": "1"])
        #expect(outcome.output.hasPrefix("STATE"))
    }
}
