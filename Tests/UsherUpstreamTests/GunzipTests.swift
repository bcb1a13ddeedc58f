// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherUpstream

struct GunzipTests {
    /// `{"page":1}`, as `gzip -9` packs it.
    private static let packed: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0x2A, 0x48, 0x4C,
        0x4F, 0x55, 0xB2, 0x32, 0xAC, 0x05, 0x00, 0xE2, 0xA0, 0xB8, 0x4F, 0x0A, 0x00, 0x00, 0x00,
    ]

    @Test func `A whole member is decompressed`() {
        #expect(Gunzip.recognizes(Self.packed))
        #expect(Gunzip.inflate(Self.packed, limit: 10) == .inflated(Array("{\"page\":1}".utf8)))
    }

    @Test func `More than the limit is not kept`() {
        #expect(Gunzip.inflate(Self.packed, limit: 9) == .tooLarge)
    }

    @Test func `Every cut is damage`() {
        for length in 2..<Self.packed.count {
            #expect(Gunzip.inflate(Array(Self.packed[..<length]), limit: 10) == .damaged)
        }
    }

    @Test func `A wrong checksum is damage`() {
        var packed = Self.packed
        packed[22] ^= 1
        #expect(Gunzip.inflate(packed, limit: 10) == .damaged)
    }

    @Test(arguments: ["", "\u{1F}", "{\"page\":1}", "<html>"])
    func `Other bytes are not taken for gzip`(text: String) {
        #expect(!Gunzip.recognizes(Array(text.utf8)))
    }
}
