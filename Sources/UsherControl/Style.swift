// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// When output is coloured.
package enum ColorChoice: String, Sendable, CaseIterable {
    case auto, always, never
}

/// Colours, or none.
package struct Style: Sendable, Equatable {
    /// What a stretch of text is, from which its colour follows.
    package enum Role: Sendable {
        case header, good, busy, bad, faint
    }

    package let isColored: Bool

    /// No colours.
    package static let plain = Style(isColored: false)

    package init(isColored: Bool) {
        self.isColored = isColored
    }

    /// Decides for one stream, as `NO_COLOR` (no-color.org), `CLICOLOR_FORCE` and `TERM=dumb` ask.
    ///
    /// What the command line says goes before them all.
    package init(_ choice: ColorChoice, isTerminal: Bool, environment: [String: String]) {
        func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
        switch choice {
        case .always: isColored = true
        case .never: isColored = false
        case .auto:
            if isSet("NO_COLOR") {
                isColored = false
            } else if isSet("CLICOLOR_FORCE"), environment["CLICOLOR_FORCE"] != "0" {
                isColored = true
            } else {
                isColored = isTerminal && environment["TERM"] != "dumb"
            }
        }
    }

    /// The role of a state's word.
    package static func role(ofState word: String) -> Role {
        switch word {
        case "loaded", "idle": .good
        case "loading": .busy
        case "error", "degraded", "degrade": .bad
        default: .faint
        }
    }

    /// The text in the colour of its role.
    package func apply(_ role: Role, to text: String) -> String {
        guard isColored, !text.isEmpty else { return text }
        let code =
            switch role {
            case .header: "1"
            case .good: "32"
            case .busy: "33"
            case .bad: "31"
            case .faint: "2"
            }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
