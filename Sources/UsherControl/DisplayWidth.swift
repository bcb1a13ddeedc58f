// Part of Usher. SPDX-License-Identifier: Apache-2.0

// How many columns text takes in a terminal: what wcwidth(3) says of a code point, without
// depending on the locale, and for an emoji made of several code points what terminals draw.

extension String {
    /// How many columns of a terminal the text takes.
    package var displayWidth: Int {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text if it fits so many columns, else its beginning and `…`, which never cuts a
    /// character apart.
    package func truncated(toWidth limit: Int) -> String {
        guard displayWidth > limit else { return self }
        guard limit > 0 else { return "" }
        var beginning = ""
        var width = 1
        for character in self {
            width += character.displayWidth
            if width > limit { break }
            beginning.append(character)
        }
        return beginning + "…"
    }
}

extension Character {
    /// How many columns the character takes: 0, 1, 2, or more for a cluster of letters.
    package var displayWidth: Int {
        let scalars = unicodeScalars
        let first = scalars[scalars.startIndex]
        if scalars.count > 1, first.properties.isEmoji,
            scalars.dropFirst().contains(where: \.makesEmojiSequence)
        {
            return 2
        }
        return scalars.reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    /// How many columns the code point takes by itself.
    package var displayWidth: Int {
        if isZeroWidth { return 0 }
        return isWide ? 2 : 1
    }

    private var isZeroWidth: Bool {
        switch value {
        case ..<0x300, 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD:
            // Below are no marks but the soft hyphen, which is drawn; the others are signs that
            // stand before Arabic, Syriac and Kaithi numbers and are drawn too.
            return false
        case 0x1160...0x11FF, 0xD7B0...0xD7FF:
            // Vowels and finals of Hangul are drawn within the syllable that their initial opens.
            return true
        default:
            switch properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return true
            default: return false
            }
        }
    }

    /// Whether East Asian Width (UAX #11) is wide or full.
    private var isWide: Bool {
        guard value >= 0x1100 else { return false }
        if Self.wideBlocks.contains(where: { $0.contains(value) }) { return true }
        return properties.isEmojiPresentation && !isRegionalIndicator
    }

    /// The wide blocks that are not emoji, unassigned places included.
    private static let wideBlocks: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
        0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
        0x1F200...0x1F2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]

    private var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    /// Whether this behind an emoji makes one picture of both: a joiner, the emoji selector, a
    /// skin tone, a key cap, the second letter of a flag.
    fileprivate var makesEmojiSequence: Bool {
        value == 0x200D || value == 0xFE0F || value == 0x20E3 || isRegionalIndicator
            || properties.isEmojiModifier
    }
}
