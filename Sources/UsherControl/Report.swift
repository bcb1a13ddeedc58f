// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherClient
internal import UsherWire

/// What a command has to say: one thing in two forms, and notes about it.
package struct Report: Sendable {
    /// For people, and as plain lines for simple programs; nil when there is JSON only.
    package var table: Table?
    /// Lines that are the same for everybody, in place of a table.
    package var text: [String]?
    /// One JSON document on one line.
    package var json: String
    /// Lines for standard error.
    package var notes: [String] = []
    /// Lines for standard error when a person is looking.
    package var hints: [String] = []
    package var exitCode = ExitCode.success

    /// The lines for standard output.
    package func lines(asJSON: Bool, terminalWidth: Int?, style: Style) -> [String] {
        if !asJSON, let text { return text }
        guard !asJSON, let table else { return [json.escapedForTerminal] }
        guard let terminalWidth else { return table.tabSeparated }
        return table.rows.isEmpty ? [] : table.laidOut(toWidth: terminalWidth, style: style)
    }
}

extension JSONWriter {
    /// What `body` writes, as text.
    static func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    mutating func movieArray(_ movies: some Sequence<Movie>) {
        raw("[")
        for (index, movie) in movies.enumerated() {
            if index > 0 { raw(",") }
            self.movie(movie)
        }
        raw("]")
    }
}
