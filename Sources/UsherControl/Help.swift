// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The text of `--help`, made from the tables that parsing uses.
package enum Help {
    /// Columns that help keeps to.
    private static let width = 80

    /// Help for all of usherctl, or for one command and those that begin with its words.
    package static func text(for words: [String]) -> String {
        let entries = CommandTable.entries.filter { $0.words.starts(with: words) }
        return words.isEmpty ? overview(entries) : text(of: entries)
    }

    private static func overview(_ entries: [CommandEntry]) -> String {
        var text = """
            usage: usherctl COMMAND [OPTION…]

            Shows and changes what usherd knows: the user and the movie lists.

            Commands:

            """
        text += rows(entries.map { ($0.usage, $0.summary) })
        text += "\nOptions:\n" + rows(ControlOptions.rows.map { ($0.usage, $0.summary) })
        text += """

            A terminal gets a table, a pipe gets lines of fields parted by tabs.

            Exit status:

            """
        text += rows(ExitCode.allCases.map { ("\($0.rawValue)", $0.summary) })
        text += "\nEnvironment:\n"
        text += rows([
            ("USHER_SOCKET", "The daemon's socket, when --socket is not there."),
            ("NO_COLOR", "If not empty: no colours. CLICOLOR_FORCE asks for them."),
            ("COLUMNS", "The width of tables, when the terminal does not tell its own."),
        ])
        return text
    }

    private static func text(of entries: [CommandEntry]) -> String {
        guard let first = entries.first else { return "" }
        var text = ""
        for (index, entry) in entries.enumerated() {
            text += (index == 0 ? "usage: " : "       ") + "usherctl \(entry.usage) [OPTION…]\n"
        }
        for entry in entries {
            text += "\n"
            if entries.count > 1 { text += "\(entry.usage):\n" }
            for paragraph in [entry.summary] + entry.details {
                text += wrapped(paragraph, indent: entries.count > 1 ? 2 : 0)
            }
        }
        let options = ControlOptions.rows.filter { $0.applies(to: first.words[0]) }
        return text + "\nOptions:\n" + rows(options.map { ($0.usage, $0.summary) })
    }

    /// Two columns: names, and what they mean.
    private static func rows(_ rows: [(name: String, meaning: String)]) -> String {
        let indent = (rows.map(\.name.displayWidth).max() ?? 0) + 4
        return rows.map { name, meaning in
            let padding = String(repeating: " ", count: indent - 2 - name.displayWidth)
            return "  " + name + padding + wrapped(meaning, indent: indent).drop { $0 == " " }
        }.joined()
    }

    /// Text broken at blanks, each line indented and ended.
    private static func wrapped(_ text: String, indent: Int) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.displayWidth + 1 + String(word).displayWidth > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        let margin = String(repeating: " ", count: indent)
        return lines.map { margin + $0 + "\n" }.joined()
    }
}

extension ControlOption {
    /// Both forms and the argument, as help writes them.
    fileprivate var usage: String {
        (short.map { "-\($0), " } ?? "    ") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
    }
}
