// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// What was measured, a row each, for people to read.
struct Table: CustomStringConvertible {
    private var rows: [Row] = []

    struct Row {
        let name: String
        let unit: String
        /// What the simplest thing costs that does the same; nil if it was not measured.
        let floor: Double?
        let figure: Double?
        let target: Target?
    }

    enum Target {
        case atMost(Double)
        /// So many times the floor.
        case times(Double)
    }

    mutating func add(
        _ name: String, _ unit: String = "ns", floor: Double?, _ figure: Double?, _ target: Target?
    ) {
        rows.append(Row(name: name, unit: unit, floor: floor, figure: figure, target: target))
    }

    /// Measures both in turns, so that whatever else the machine does meets both, and takes the medians.
    mutating func add(
        _ name: String, _ unit: String, _ target: Target?, times: Int, floor: () throws -> Double,
        here: () throws -> Double
    ) rethrows {
        var floors: [Double] = []
        var figures: [Double] = []
        for _ in 0..<times {
            floors.append(try floor())
            figures.append(try here())
        }
        add(name, unit, floor: median(of: floors), median(of: figures), target)
    }

    var description: String {
        var lines = [Self.line("", "floor", "here", "ratio", "target", "")]
        lines += rows.map { row in
            Self.line(
                "\(row.name), \(row.unit)", Self.text(row.floor), Self.text(row.figure),
                row.ratio.map { Self.text($0) + "x" } ?? "-", row.target?.text ?? "",
                row.isMet == false ? "missed" : "")
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ name: String, _ columns: String...) -> String {
        columns.reduce(name.padded(to: 72, onTheLeft: false)) { line, column in
            line + column.padded(to: 11, onTheLeft: true)
        }
    }

    /// Two digits after the point where they tell something.
    fileprivate static func text(_ figure: Double?) -> String {
        guard let figure else { return "-" }
        guard figure < 100 else { return "\(Int(figure.rounded()))" }
        let hundredths = Int((figure * 100).rounded())
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}

extension Table.Row {
    var ratio: Double? {
        guard let floor, let figure, floor > 0 else { return nil }
        return figure / floor
    }

    var isMet: Bool? {
        switch target {
        case .atMost(let bound): figure.map { $0 <= bound }
        case .times(let bound): ratio.map { $0 <= bound }
        case nil: nil
        }
    }
}

extension Table.Target {
    var text: String {
        switch self {
        case .atMost(let bound): "<= \(Int(bound))"
        case .times(let bound): "<= \(Table.text(bound))x"
        }
    }
}

extension String {
    fileprivate func padded(to width: Int, onTheLeft: Bool) -> String {
        let padding = String(repeating: " ", count: max(0, width - count))
        return onTheLeft ? padding + self : self + padding
    }
}
