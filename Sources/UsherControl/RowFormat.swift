// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherOptions

/// How a row of a table is written when the user says it: `{id}\t{title}`.
package struct RowFormat: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case text(String)
        /// The cell of the column with this title, in small letters.
        case cell(String)
    }

    private let pieces: [Piece]

    /// Reads a format: names of columns in braces, `\t`, `\n` and `\\`, everything else as it stands.
    package init(_ format: String) throws(UsageError) {
        var pieces: [Piece] = []
        var text = ""
        var rest = format[...]
        while let character = rest.popFirst() {
            if character == "\\" {
                switch rest.popFirst() {
                case "t": text.append("\t")
                case "n": text.append("\n")
                case let next?: text.append(next)
                case nil: throw UsageError("--format ends with a backslash")
                }
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw UsageError("--format has a brace that is not closed")
                }
                pieces += [.text(text), .cell(rest[..<end].lowercased())]
                text = ""
                rest = rest[rest.index(after: end)...]
            } else {
                text.append(character)
            }
        }
        self.pieces = pieces + [.text(text)]
    }

    /// One text a row; throws if the table has no column of a name that the format holds.
    package func lines(of table: Table) throws(UsageError) -> [String] {
        let names = table.columns.map { $0.title.lowercased() }
        for case .cell(let name) in pieces where !names.contains(name) {
            let known = names.map { "{\($0)}" }.joined(separator: " ")
            throw UsageError("there is no {\(name.sanitised)}; there are \(known)")
        }
        return table.rows.map { cells in
            pieces.map { piece in
                switch piece {
                case .text(let text): text
                case .cell(let name): names.firstIndex(of: name).map { cells[$0] } ?? ""
                }
            }.joined()
        }
    }
}
