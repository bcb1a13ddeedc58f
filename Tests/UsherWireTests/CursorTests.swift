// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

struct CursorTests {
    @Test(arguments: [UInt64.min, 1, 0xDEAD_BEEF, .max])
    func `An epoch is sixteen lower-case digits, and reads back`(value: UInt64) {
        let text = Epoch(value: value).description
        #expect(text.utf8.count == 16)
        #expect(Epoch(text)?.value == value)
    }

    @Test(arguments: [
        "", "0", "000000000000000", "00000000000000000", "000000000000000G", "ABCDEF0123456789",
        "+000000000000001", "-000000000000001", " 00000000000001a", "000000000000 01a",
        "00000000000000é", "0x00000000000001",
    ])
    func `An epoch of any other form is refused`(text: String) {
        #expect(Epoch(text) == nil)
    }

    @Test func `A cursor reads back, at both ends of revisions`() {
        for revision in [UInt64.min, 1, 4_294_967_296, .max] {
            let cursor = Cursor(epoch: Epoch(value: 0xFEED), revision: revision)
            #expect(cursor.description == "000000000000feed:\(revision)")
            #expect(Cursor(cursor.description) == cursor)
        }
    }

    @Test(arguments: [
        "", ":", "000000000000feed", "000000000000feed:", ":1", "feed:1", "000000000000FEED:1",
        "000000000000feed:-1", "000000000000feed:+1", "000000000000feed:01", "000000000000feed:00",
        "000000000000feed:1:", "000000000000feed::1", ":000000000000feed:1", "000000000000feed:1 ",
        " 000000000000feed:1", "000000000000feed:1.0", "000000000000feed:1e3",
        "000000000000feed:18446744073709551616", "000000000000feed:a", "000000000000feed:١",
        "000000000000feed:\u{301}1", "000000000000feed:1\0",
    ])
    func `A cursor of any other form is refused`(text: String) {
        #expect(Cursor(text) == nil)
    }

    @Test func `A cursor is read out of a longer text too`() {
        let text = "since=000000000000feed:9;"
        #expect(Cursor(text.dropFirst(6).dropLast())?.revision == 9)
    }
}
