// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The pages that say what is tested say what is so.
struct CasesTests {
    private static let tests = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The rows of a page whose last cell names tests, as their cells.
    private static func rows(of page: String) throws -> [[Substring]] {
        try String(contentsOf: tests.appending(path: page), encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map {
                $0.dropFirst(2).dropLast(2).split(
                    separator: " | ", omittingEmptySubsequences: false)
            }
            .filter { $0.last != "tests" }
    }

    /// The names of suites and tests that are sentences, of the other suites, and of the Makefile's targets.
    private static func names() throws -> Set<String> {
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path)
        where path.hasSuffix(".swift") {
            let source = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
            for match in source.matches(of: /(?:struct|func) (?:`([^`]+)`|(\w+Tests)\b)/) {
                names.insert(String(match.1 ?? match.2 ?? ""))
            }
        }
        let makefile = tests.deletingLastPathComponent().appending(path: "Makefile")
        for match in try String(contentsOf: makefile, encoding: .utf8).matches(
            of: /(?m)^([a-z-]+):/)
        {
            names.insert("make \(match.1)")
        }
        return names
    }

    @Test(arguments: ["CASES.md", "../proto-docs/promises.md"])
    func `Every test that a page names is there`(page: String) throws {
        let names = try Self.names()
        let rows = try Self.rows(of: page)
        #expect(rows.count > 20)
        for row in rows {
            try #require(row.count == 3, "\(row)")
            let named = row[2].matches(of: /`([^`]+)`/).map { String($0.1) }
            #expect(named.filter { !names.contains($0) }.isEmpty, "\(row[0])")
            // Tests, or why there is none.
            #expect(!named.isEmpty || Self.reasons.contains { row[2].hasPrefix($0) }, "\(row[0])")
        }
    }

    /// How a cell begins that says why nothing is tested.
    private static let reasons = ["does not apply: ", "does not apply, as ", "not tested yet: "]
}
