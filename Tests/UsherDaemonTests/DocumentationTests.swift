// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UsherUpstream
import UsherWire

@testable import UsherDaemon

/// The tables of the documents say what the program's own tables say.
@Suite(.timeLimit(.minutes(5))) struct `The documents` {
    @Test func `list every error reason as the program has it`() throws {
        let rows = try Document("proto-docs/errors.md").table(below: "## Reasons")
        #expect(
            rows.map { Array($0.prefix(4)) }
                == ErrorReason.allCases.map { reason in
                    [
                        reason.rawValue, "\(reason.code)", reason.isRetryable ? "yes" : "no",
                        reason.summary,
                    ]
                })
        #expect(rows.allSatisfy { $0.count == 5 && !$0[4].isEmpty })
    }

    @Test func `list every limit with its default, and which can be set`() throws {
        let document = try Document("proto-docs/limits.md")
        let hello = try RunningDaemon().connect().ask("hello")["result", "limits"]
        let settable = document.table(below: "## Limits that can be set")
        let fixed = document.table(below: "## Limits that are fixed")
        let documented = (settable + fixed).map { ($0[0], JSON.number(Double($0[1]) ?? -1)) }
        #expect(Dictionary(uniqueKeysWithValues: documented) == hello.members)
        // Every property of the limits can be set, by a name that is in the first table.
        #expect(settable.count == Mirror(reflecting: Limits()).children.count)
        let arguments = settable.enumerated().flatMap { index, row in
            ["--limit", "\(row[0])=\(1_000 + index)"]
        }
        let changed = try RunningDaemon(RunningDaemon.demo + arguments).connect().ask("hello")
        for (index, row) in settable.enumerated() {
            #expect(changed["result", "limits", row[0]].integer == 1_000 + index)
        }
        for row in fixed { #expect(changed["result", "limits", row[0]].integer == Int(row[1])) }
    }

    @Test func `list every limit of requests to services with its default, as it can be set`()
        throws
    {
        let rows = try Document("proto-docs/limits.md")
            .table(below: "## What the daemon asks of the services behind it")
        #expect(
            rows.map { "\($0[0])=\($0[1])" } == UpstreamLimits().settings)
        for limit in UpstreamLimits.settable {
            var limits = UpstreamLimits()
            try limits.set("\(limit.name)=\(limit.range.lowerBound)")
            try limits.set("movies.\(limit.name)=\(limit.range.upperBound)")
            #expect(limits.users[keyPath: limit.path] == Int(limit.range.lowerBound))
            #expect(limits.movies[keyPath: limit.path] == Int(limit.range.upperBound))
        }
    }

    @Test func `have a section for every method, in the order of the table`() throws {
        let headings = try Document("proto-docs/requests.md").headings(level: 3)
        #expect(headings == MethodTable.entries.map(\.method.rawValue))
    }

    @Test(arguments: MethodTable.entries.map(\.method))
    func `tell a method as the table has it`(method: Method) throws {
        let document = try Document("proto-docs/requests.md")
        let entry = MethodTable.entry(for: method)
        let heading = "### `\(method.rawValue)`"
        let lines = document.section(heading)
        #expect(lines.contains { $0 == entry.summary })
        let typed = entry.shorthand.map { " Typed: `\($0.word)`." } ?? ""
        #expect(lines.contains { $0 == "Role: `\(entry.role.rawValue)`.\(typed)" })
        let rows = document.table(below: heading)
        #expect(rows.map { $0[0] } == entry.parameters.map(\.name))
        for (row, parameter) in zip(rows, entry.parameters) {
            #expect(row[1] == parameter.kind.documented)
            #expect((row[2] == "required") == parameter.isRequired)
            #expect(row[3] == parameter.summary)
        }
        let errors = lines.first { $0.hasPrefix("Errors: ") }.map(String.init)
        let expected = entry.errors.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        #expect(errors == (entry.errors.isEmpty ? nil : "Errors: \(expected)."))
        #expect(lines.contains { $0.hasPrefix("Result: ") })
    }

    @Test func `list every short word with its method`() throws {
        let rows = try Document("proto-docs/shorthand.md").table(below: "# Shorthand")
        let documented = rows.map {
            [$0[0].split(separator: " ").first.map(String.init) ?? "", $0[1]]
        }
        let words = MethodTable.entries.compactMap { entry in
            entry.shorthand.map { [$0.word, entry.method.rawValue] }
        }
        #expect(documented.sorted { $0[0] < $1[0] } == words.sorted { $0[0] < $1[0] })
    }

    @Test func `name every promise, each of which has a test`() throws {
        let names = try Document("proto-docs/README.md").table(below: "## Promises").map { $0[0] }
        #expect(names == (1...8).map { "O\($0)" })
        let tests = try Document("Tests/UsherDaemonTests/OrderTests.swift").text
        for name in names { #expect(tests.contains("@Test func `\(name) ")) }
    }

    @Test func `refer to pages and sections that are there`() throws {
        let others = ["CONTRIBUTING.md", "proto-docs/transcripts/README.md"]
        for page in try Document.pages() + others.map(Document.init) {
            let folder = Document.root.appending(path: page.path).deletingLastPathComponent()
            for match in page.text.matches(of: /\]\(([^)#:]*)(#[^)]*)?\)/) {
                let file = match.1.isEmpty ? page.path : String(match.1)
                let target = match.1.isEmpty ? Document.root : folder
                let path = target.appending(path: file).path
                #expect(FileManager.default.fileExists(atPath: path), "\(page.path): \(match.0)")
                guard let anchor = match.2, file.hasSuffix(".md") else { continue }
                let text = try String(contentsOfFile: path, encoding: .utf8)
                let anchors = text.split(separator: "\n").filter { $0.hasPrefix("#") }.map {
                    $0.drop { $0 == "#" }.lowercased().filter {
                        $0.isLetter || $0.isNumber || " -_".contains($0)
                    }
                    .trimmingCharacters(in: .whitespaces).replacing(" ", with: "-")
                }
                #expect(anchors.contains(String(anchor.dropFirst())), "\(page.path): \(match.0)")
            }
        }
    }
}

extension Parameter.Kind {
    /// The kind in the words of the documents.
    fileprivate var documented: String {
        switch self {
        case .string(let limit): "string, at most \(limit.formatted(.grouped)) bytes"
        case .choice(let values) where values.count > 4: "a method's name"
        case .choice(let values): values.joined(separator: "` or `")
        case .integer(let range) where range.count == 1: "integer, \(range.lowerBound)"
        case .integer(let range):
            "integer, \(range.lowerBound.formatted(.grouped)) to \(range.upperBound.formatted(.grouped))"
        case .boolean: "boolean"
        case .object(let members):
            "object of `" + members.map(\.name).joined(separator: "`, `")
        }
    }
}

extension FormatStyle where Self == IntegerFormatStyle<Int64> {
    fileprivate static var grouped: Self { Self(locale: Locale(identifier: "en_US")) }
}

extension FormatStyle where Self == IntegerFormatStyle<Int> {
    fileprivate static var grouped: Self { Self(locale: Locale(identifier: "en_US")) }
}
