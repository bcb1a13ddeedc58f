// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

@testable import UsherUpstream

struct GECOSTests {
    @Test(
        arguments: [
            ("", "ann", nil),
            ("Ann Example", "Ann Example", nil),
            ("Ann,R12,555-0100,555-0199,misc", "Ann", "555-0100"),
            ("Ann,R12,,555-0199", "Ann", "555-0199"),
            ("Ann,,,,555-0111", "Ann", nil),
            ("Ann,,,555-0199,more, commas", "Ann", "555-0199"),
            (",,,", "ann", nil),
            (" , , , ", "ann", nil),
            ("& User", "Ann User", nil),
            ("&&", "AnnAnn", nil),
            ("Jo,&,&", "Jo", "&"),
            (",R12,555-0100", "ann", "555-0100"),
            ("  Ann  ", "Ann", nil),
            ("A\u{9}B\u{1B}[1m", "A\u{9}B\u{1B}[1m", nil),
            ("이름", "이름", nil),
        ] as [(String, String, String?)])
    func `The name is the first field, the phone the third or fourth`(
        field: String, name: String, phone: String?
    ) {
        let person = GECOS(Array(field.utf8), login: Array("ann".utf8))
        #expect(person.name == name)
        #expect(person.phone == phone)
    }

    @Test func `Bytes that are not UTF-8 are repaired, and said to be`() {
        let gecos: [UInt8] = [0x4A, 0x6F, 0x73, 0xE9]
        let record = PasswdRecord(uid: 7, login: Array("jose".utf8), gecos: gecos)
        #expect(record.user.name == "Jos\u{FFFD}")
        #expect(record.isRepaired)
        #expect(!PasswdRecord(uid: 7, login: [0x61], gecos: Array("José".utf8)).isRepaired)
        #expect(PasswdRecord(uid: 7, login: [0xFF], gecos: []).user.name == "\u{FFFD}")
    }

    @Test func `A login name that begins with no small letter stays as it is`() {
        #expect(GECOS([UInt8(ascii: "&")], login: Array("_ftp".utf8)).name == "_ftp")
        #expect(GECOS([UInt8(ascii: "&")], login: []).name == "")
    }

    @Test func `A name of any length is cut between characters`() {
        let person = GECOS(Array(String(repeating: "é", count: 2_500).utf8), login: [0x61])
        #expect(person.name == String(repeating: "é", count: 1_024))
        let odd = GECOS(Array(("x" + String(repeating: "é", count: 2_500)).utf8), login: [0x61])
        #expect(odd.name == "x" + String(repeating: "é", count: 1_023))
    }
}
