// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Names and titles come from outside, and a terminal obeys what it is sent: an escape sequence in
// a title could set the clipboard, and a direction mark could make a line read as another. So text
// for people passes through here. JSON output does not need it: there, control characters are
// escaped already.

extension String {
    /// The text with each character that could steer a terminal or break a line replaced by `�`.
    package var sanitised: String {
        guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            result.unicodeScalars.append(scalar.steersTerminal ? "\u{FFFD}" : scalar)
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Whether it is a control (C0, DEL, C1), a line or paragraph separator, or one of the marks
    /// that change the direction of the text around them.
    fileprivate var steersTerminal: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x61C, 0x200E...0x200F, 0x202A...0x202E,
            0x2066...0x2069:
            true
        default: false
        }
    }
}

extension String {
    /// JSON with the same characters escaped, which says the same.
    ///
    /// They can only stand within strings there; line ends within a document stay.
    package var escapedForTerminal: String {
        guard unicodeScalars.contains(where: { $0.steersTerminal && $0 != "\n" }) else {
            return self
        }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.steersTerminal, scalar != "\n" {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
