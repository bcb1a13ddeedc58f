// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Testing
internal import UsherControl

@Suite struct SanitisingTests {
    @Test(arguments: Array(0...0x1F) + [0x7F] + Array(0x80...0x9F) as [UInt32])
    func `Each control is replaced`(value: UInt32) throws {
        let control = String(try #require(Unicode.Scalar(value)))
        #expect("a\(control)b".sanitised == "a\u{FFFD}b")
    }

    @Test(
        arguments: [
            0x61C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068,
            0x2069, 0x2028, 0x2029,
        ] as [UInt32])
    func `Direction marks and line separators are replaced`(value: UInt32) throws {
        let mark = String(try #require(Unicode.Scalar(value)))
        #expect("a\(mark)b".sanitised == "a\u{FFFD}b")
    }

    @Test func `A title cannot set the clipboard`() {
        #expect("\u{1B}]52;c;aGk=\u{7}x".sanitised == "\u{FFFD}]52;c;aGk=\u{FFFD}x")
    }

    @Test func `A line end of two bytes becomes two marks`() {
        #expect("a\r\nb".sanitised == "a\u{FFFD}\u{FFFD}b")
    }

    @Test(arguments: ["기생충", "Ame\u{301}lie", "👩‍👩‍👧‍👦", "می\u{200C}خواهم", "plain", ""])
    func `Other text stays as it is, joiners included`(text: String) {
        #expect(Array(text.sanitised.utf8) == Array(text.utf8))
    }
}
