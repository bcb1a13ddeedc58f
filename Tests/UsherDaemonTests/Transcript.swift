// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A conversation with the daemon as the documents write it down; `proto-docs/transcripts/README.md` tells how.
struct Transcript: Sendable, CustomTestStringConvertible {
    enum Action: Sendable {
        case send(String)
        /// The peer ends its input; it goes on reading.
        case finish
        case expect(String)
        /// The daemon closes the connection.
        case expectEnd
        /// `kill -9`, and a new start on the same socket and store.
        case restart
    }

    struct Step: Sendable {
        /// The line of the document.
        let line: Int
        /// The connection's name; empty for the one that is meant when none is named.
        let connection: String
        let action: Action
    }

    /// The document's name.
    let document: String
    let firstLine: Int
    private(set) var arguments = RunningDaemon.demo
    private(set) var steps: [Step] = []

    var testDescription: String { "\(document):\(firstLine)" }

    /// Whether a connection of another user is needed, which only root can make.
    var needsRoot: Bool { steps.contains { $0.connection == Self.stranger } }

    /// The name of connections that another user makes.
    static let stranger = "nobody"

    /// Reads lines, of which the first is line `firstLine` of the document.
    init(_ lines: [Substring], document: String, firstLine: Int) throws {
        self.document = document
        self.firstLine = firstLine
        for (index, line) in lines.enumerated() {
            try read(line, number: firstLine + index)
        }
    }

    private mutating func read(_ line: Substring, number: Int) throws {
        if line.isEmpty || line.hasPrefix("#") { return }
        if line.hasPrefix("= "), steps.isEmpty {
            arguments = line.dropFirst(2).split(separator: " ").map(String.init)
        } else if line == "! restart" {
            steps.append(Step(line: number, connection: "", action: .restart))
        } else {
            let name = line.prefix { $0.isLetter || $0.isNumber }
            let text = line[name.endIndex...]
            let isSent = text.hasPrefix("> ")
            guard isSent || text.hasPrefix("< ") else {
                throw TestFailure("\(document):\(number): no transcript has such a line: \(line)")
            }
            let rest = String(text.dropFirst(2))
            let action: Action =
                switch (isSent, rest) {
                case (true, "<end>"): .finish
                case (false, "<end>"): .expectEnd
                case (true, _): .send(rest)
                case (false, _): .expect(rest)
                }
            steps.append(Step(line: number, connection: String(name), action: action))
        }
    }
}
