// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A document of the project, by its path in it.
struct Document: Sendable {
    let path: String
    let text: String

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let protocolFolder = root.appending(path: "proto-docs")
    static let transcriptFolder = protocolFolder.appending(path: "transcripts")

    /// All pages that may hold transcripts.
    static func pages() throws -> [Document] {
        let names = try FileManager.default.contentsOfDirectory(atPath: protocolFolder.path)
        let pages = names.filter { $0.hasSuffix(".md") }.sorted().map { "proto-docs/\($0)" }
        return try (["README.md"] + pages).map(Document.init)
    }

    /// All transcripts: the files, and the blocks in pages.
    static func transcripts() throws -> [Transcript] {
        let names = try FileManager.default.contentsOfDirectory(atPath: transcriptFolder.path)
        let files = try names.filter { $0.hasSuffix(".transcript") }.sorted().map { name in
            let file = try Document("proto-docs/transcripts/\(name)")
            return try Transcript(file.lines, document: name, firstLine: 1)
        }
        return try files + pages().flatMap { try $0.transcripts() }
    }

    var lines: [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The blocks between fences that name a language, and the number of each one's first line.
    func blocks(of language: String) -> [(firstLine: Int, lines: [Substring])] {
        var blocks: [(firstLine: Int, lines: [Substring])] = []
        var start: Int?
        let lines = lines
        for (index, line) in lines.enumerated() where line.hasPrefix("```") {
            if let first = start {
                if lines[first - 1] == "```\(language)" {
                    blocks.append((first + 1, Array(lines[first..<index])))
                }
                start = nil
            } else {
                start = index + 1
            }
        }
        return blocks
    }

    private func transcripts() throws -> [Transcript] {
        try blocks(of: "transcript").map {
            try Transcript($0.lines, document: path, firstLine: $0.firstLine)
        }
    }

    /// The rows of the first table below a heading, without the table's head; each is its cells.
    func table(below heading: String) -> [[String]] {
        section(heading).drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2).map {
            $0.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
        }
    }

    /// The lines below a heading up to the next of its level or above.
    func section(_ heading: String) -> ArraySlice<Substring> {
        let level = heading.prefix { $0 == "#" }.count
        let body = lines.drop { $0 != heading }.dropFirst()
        return body.prefix { line in
            let hashes = line.prefix { $0 == "#" }.count
            return hashes == 0 || hashes > level
        }
    }

    /// The headings of a level, without their marks.
    func headings(level: Int) -> [String] {
        let mark = String(repeating: "#", count: level) + " "
        return lines.filter { $0.hasPrefix(mark) }.map {
            $0.dropFirst(mark.count).trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        }
    }
}
