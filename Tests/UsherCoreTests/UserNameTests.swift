// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherCore
import UsherWire

struct UserNameTests {
    private func refusal(_ name: String, isPasswd: Bool = false) -> WireError? {
        do throws(WireError) {
            _ = try UserName(name, isPasswd: isPasswd)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("Ada", "Ada"), ("\u{A0}\u{3000}Ada\u{2003}", "Ada"),
        ("中🎬", "中🎬"), ("e\u{301}", "e\u{301}"), ("\n Ada \r\n", "Ada"), ("O'Neil", "O'Neil"),
        ("עדה", "עדה"),
    ])
    func `A name loses the blanks at its ends and nothing else`(
        name: String, text: String
    ) throws {
        let name = try UserName(name, isPasswd: false)
        #expect(name.text.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(arguments: ["", " ", "\t\n\r\u{A0}\u{2028}"])
    func `A name of nothing is refused`(name: String) {
        #expect(
            refusal(name)
                == WireError(
                    .outOfRange, "name is empty; give 1 to 80 characters", path: "/params/name"))
    }

    @Test(arguments: [
        "\u{200B}", "\u{200D}\u{200C}", "\u{2060}", "\u{FEFF}", "\u{3164}", "\u{AD}", "\u{FE0F}",
        "\u{E0001}", " \u{200B} ",
    ])
    func `A name of which nothing can be seen is refused`(name: String) throws {
        #expect(
            refusal(name)
                == WireError(
                    .outOfRange, "name has no character that can be seen; give it one",
                    path: "/params/name"))
        #expect(try UserName("a" + name, isPasswd: false).text.unicodeScalars.first == "a")
    }

    @Test func `A name has at most 80 characters, as people count them`() throws {
        for character in ["x", "é", "e\u{301}", "👩🏽‍🚀"] {
            let longest = String(repeating: character, count: 80)
            #expect(try UserName(longest, isPasswd: false).text == longest)
            #expect(try UserName("  \(longest)  ", isPasswd: false).text == longest)
            #expect(
                refusal(longest + character)
                    == WireError(
                        .outOfRange, "name has 81 characters; at most 80 are allowed",
                        path: "/params/name"))
        }
    }

    @Test(
        arguments: [
            0x00, 0x09, 0x0A, 0x0D, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9F, 0x2028, 0x2029,
        ] as [UInt32])
    func `A control character within a name is refused`(value: UInt32) throws {
        let character = String(Character(try #require(Unicode.Scalar(value))))
        #expect(refusal("a\(character)b")?.reason == .outOfRange)
    }

    @Test(
        arguments: [
            0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068,
            0x2069,
        ] as [UInt32])
    func `A character that turns the text around it is refused`(value: UInt32) throws {
        let character = String(Character(try #require(Unicode.Scalar(value))))
        for name in ["a\(character)b", character, "a\(character)"] {
            #expect(refusal(name)?.reason == .outOfRange)
        }
    }

    @Test(arguments: ["a:b", "a,b", "a=b", ":", "a\u{338}=\u{338}b"])
    func `What the fields of passwd cannot hold is refused there only`(name: String) throws {
        #expect(refusal(name, isPasswd: true)?.reason == .outOfRange)
        #expect(try UserName(name, isPasswd: false).text == name)
    }
}
