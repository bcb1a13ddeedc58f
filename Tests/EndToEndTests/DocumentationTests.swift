// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the articles quote is what was compiled.
struct DocumentationTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `Every program is quoted whole`() throws {
        let articles = try Self.files("Sources", ending: ".md")
        let programs = try Self.files("Tests/Examples", ending: ".swift")
            .filter { !$0.path.hasSuffix("/Without.swift") }
        #expect(programs.count == 6)
        for program in programs {
            let body = program.text.split(separator: "\n\n", maxSplits: 1)[1]
            #expect(
                articles.contains { $0.text.contains("\n```swift\n\(body)```\n") },
                "no article quotes \(program.path) as it is")
        }
    }

    @Test func `Every piece of Swift in an article is compiled`() throws {
        let compiled = try Self.files("Tests", ending: ".swift").map { Self.trimmed($0.text) }
        let articles = try Self.files("Sources", ending: ".md")
        #expect(articles.count >= 7)
        for article in articles {
            for piece in article.text.components(separatedBy: "\n```swift\n").dropFirst() {
                let code = Self.trimmed(piece.components(separatedBy: "```\n")[0])
                #expect(
                    compiled.contains { $0.contains(code) },
                    "\(article.path) quotes what is not compiled:\n\(code)")
            }
        }
    }

    private static func files(
        _ folder: String, ending: String
    ) throws -> [(path: String, text: String)] {
        let folder = root.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        return try paths.filter { $0.hasSuffix(ending) }.map { path in
            (path, try String(contentsOf: folder.appending(path: path), encoding: .utf8))
        }
    }

    /// Without the indentation, which an article has no use for.
    private static func trimmed(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingPrefix { $0 == " " } }
            .joined(separator: "\n")
    }
}
