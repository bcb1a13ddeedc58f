// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherWire

/// What a user database says of a person: the fourth field of a passwd line, named after a computer
/// of 1962.
///
/// `Full Name,Room,Work phone,Home phone,Other`, where `&` in the name stands for the login name.
/// The bytes may be in any encoding; those that are not UTF-8 become U+FFFD.
struct GECOS: Equatable {
    let name: String
    let phone: String?

    /// Reads the field; an empty name gives the login name.
    init(_ field: [UInt8], login: [UInt8]) {
        let fields = field.split(
            separator: UInt8(ascii: ","), maxSplits: 4, omittingEmptySubsequences: false)
        let name = Self.expand(fields.first ?? [], login: login)
        self.name = Self.text(name) ?? Self.text(login[...]) ?? ""
        phone = fields.dropFirst(2).prefix(2).lazy.compactMap { Self.text($0) }.first
    }

    /// Puts the login name, its first letter in upper case, where the name has `&`.
    private static func expand(_ name: ArraySlice<UInt8>, login: [UInt8]) -> ArraySlice<UInt8> {
        var capitalized = login
        if let first = login.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) {
            capitalized[0] = first - 0x20
        }
        return ArraySlice(name.flatMap { $0 == UInt8(ascii: "&") ? capitalized : [$0] })
    }

    /// The field as text, without spaces around it; nil if nothing is left.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)[...].trimmingWhitespace()
        return text.isEmpty ? nil : String(text).cut(toBytes: User.textBytes)
    }
}
