// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Rows of text under named columns, laid out for a terminal or written plainly for a program.
package struct Table: Sendable {
    package struct Column: Sendable {
        package enum Alignment: Sendable { case left, right }

        package let title: String
        package let alignment: Alignment
        /// Whether the column gives way, down to ``Table/narrowest``, when the terminal is too
        /// narrow for all.
        package let isFlexible: Bool
        /// Whether the cells are states, which are coloured by their word.
        package let isState: Bool

        package init(
            _ title: String, _ alignment: Alignment = .left, isFlexible: Bool = false,
            isState: Bool = false
        ) {
            self.title = title
            self.alignment = alignment
            self.isFlexible = isFlexible
            self.isState = isState
        }
    }

    /// The width that a flexible column keeps whatever the terminal's is.
    package static let narrowest = 8
    /// Blanks between columns.
    private static let gap = 2

    package let columns: [Column]
    /// Cells without control characters: each was sanitised on its way in.
    package private(set) var rows: [[String]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row; there is a cell for each column.
    package mutating func append(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(cells.map(\.sanitised))
    }

    /// One line a row, cells parted by tabs, no header: for programs.
    package var tabSeparated: [String] {
        rows.map { $0.joined(separator: "\t") }
    }

    /// A header and one line a row, none wider than the terminal: for people.
    ///
    /// Only when the terminal is so narrow that not even the fixed columns fit are lines cut at
    /// its edge.
    package func laidOut(toWidth width: Int, style: Style, hasHeader: Bool = true) -> [String] {
        let widths = columnWidths(within: width, titles: hasHeader)
        let lines = rows.map { line($0, widths, limit: width, style: style) }
        guard hasHeader else { return lines }
        let header = line(columns.map(\.title), widths, limit: width, style: .plain)
        return [style.apply(.header, to: header)] + lines
    }

    private func line(_ cells: [String], _ widths: [Int], limit: Int, style: Style) -> String {
        var line = ""
        var used = 0
        for (index, column) in columns.enumerated() where used < limit {
            let gap = index > 0 ? min(Self.gap, limit - used) : 0
            let width = min(widths[index], limit - used - gap)
            let cell = cells[index].truncated(toWidth: width)
            let padding = String(repeating: " ", count: width - cell.displayWidth)
            line += String(repeating: " ", count: gap)
            if column.alignment == .right { line += padding }
            line += column.isState ? style.apply(Style.role(ofState: cell), to: cell) : cell
            if column.alignment == .left { line += padding }
            used += gap + width
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Each column as wide as its widest cell; if that is too much, the widest of the flexible
    /// ones give way first.
    private func columnWidths(within limit: Int, titles: Bool) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(titles ? columns[index].title.displayWidth : 0) {
                max($0, $1[index].displayWidth)
            }
        }
        var excess = widths.reduce(0, +) + Self.gap * (columns.count - 1) - limit
        while excess > 0 {
            let candidates = columns.indices.filter {
                columns[$0].isFlexible && widths[$0] > Self.narrowest
            }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            let next = candidates.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
            let cut = min(excess, max(1, widths[widest] - max(next, Self.narrowest)))
            widths[widest] -= cut
            excess -= cut
        }
        return widths
    }
}
