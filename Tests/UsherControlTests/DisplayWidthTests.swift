// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Testing
internal import UsherControl

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("Ada", 3), ("기생충", 6), ("千と千尋の神隠し", 16), ("새 이름", 7),
        ("ﾊﾝｶｸ", 4), ("ＡＢ", 4), ("Amélie", 6), ("Ame\u{301}lie", 6), ("…", 1),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("क्ष", 2), ("\u{200B}", 0), ("a\u{AD}b", 3),
    ])
    func `Text takes the columns that wcwidth says`(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test(arguments: [
        "🎬", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇰🇷", "❤️", "1️⃣", "🧑🏿‍🚀", "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    ])
    func `An emoji of any number of code points takes two columns`(emoji: String) {
        #expect(emoji.displayWidth == 2)
    }

    @Test func `A lone half of a flag takes one column`() {
        #expect("\u{1F1F0}".displayWidth == 1)
    }

    @Test(
        arguments: [
            (0x10FF, 1), (0x1100, 2), (0x115F, 2), (0x1160, 0), (0x11FF, 0), (0x2E7F, 1),
            (0x2E80, 2),
            (0x303E, 2), (0x303F, 1), (0x3248, 2), (0x4DC0, 2), (0x4DFF, 2),
            (0x4E00, 2),
            (0xA4C6, 2), (0xABFF, 1), (0xAC00, 2), (0xD7A3, 2), (0xFF00, 1), (0xFF01, 2),
            (0xFF60, 2),
            (0xFF61, 1), (0xFFE6, 2), (0xFFE8, 1), (0x1F3AC, 2), (0x1F321, 1), (0x20000, 2),
        ] as [(UInt32, Int)])
    func `The edges of the wide blocks are where the C library has them`(value: UInt32, width: Int)
        throws
    {
        #expect(try #require(Unicode.Scalar(value)).displayWidth == width)
    }

    @Test(arguments: [
        ("Parasite", 8, "Parasite"), ("Parasite", 7, "Parasi…"), ("기생충", 6, "기생충"),
        ("기생충", 5, "기생…"), ("기생충", 4, "기…"), ("기생충", 2, "…"), ("기생충", 1, "…"),
        ("기생충", 0, ""), ("a👩‍👩‍👧‍👦b", 3, "a…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ])
    func `Truncation cuts between characters and never passes the limit`(
        text: String, limit: Int, expected: String
    ) {
        let result = text.truncated(toWidth: limit)
        #expect(result == expected)
        #expect(result.displayWidth <= limit)
    }
}
