// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// What a user may be renamed to.
package struct UserName: Sendable, Hashable {
    /// The name without blanks at its ends.
    package let text: String

    /// Takes a name if it is allowed; `isPasswd` adds what the fields of passwd cannot hold.
    package init(_ name: String, isPasswd: Bool) throws(WireError) {
        // Most names are of letters only, each a byte, and need no closer look.
        let isPlain = name.isPlain
        text = isPlain ? name : Self.withoutBlanks(name)
        guard !text.isEmpty else { throw Self.refused("name is empty; give 1 to 80 characters") }
        let count = isPlain ? text.utf8.count : text.count
        guard count <= Limits.nameCharacters else {
            throw Self.refused("name has \(count) characters; at most 80 are allowed")
        }
        if !isPlain { try Self.checkScalars(of: text) }
        if isPasswd, let byte = text.utf8.first(where: Self.endsPasswdField) {
            let character = Unicode.Scalar(byte)
            throw Self.refused("name holds \(character); a passwd name has no colon, comma or =")
        }
    }

    private static func checkScalars(of text: String) throws(WireError) {
        for scalar in text.unicodeScalars where scalar.isControl || scalar.isDirection {
            throw refused("name holds a control or text direction character; leave it out")
        }
        guard text.unicodeScalars.contains(where: \.isVisible) else {
            throw refused("name has no character that can be seen; give it one")
        }
    }

    private static func endsPasswdField(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "=")
    }

    private static func withoutBlanks(_ name: String) -> String {
        let trimmed = name.drop(while: \.isWhitespace)
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) }
        return String(trimmed[..<(end ?? trimmed.endIndex)])
    }

    private static func refused(_ message: String) -> WireError {
        WireError(.outOfRange, message, path: "/params/name")
    }
}

extension String {
    /// Whether it is of visible ASCII and blanks within.
    fileprivate var isPlain: Bool {
        guard utf8.first != 0x20, utf8.last != 0x20 else { return false }
        var text = self
        // A maximum of all is found sixteen bytes a step.
        return text.withUTF8 { unsafe $0.reduce(0) { max($0, $1 &- 0x20) } } < 0x7F - 0x20
    }
}

extension Unicode.Scalar {
    /// C0, DEL, C1, and the separators that end a line or paragraph.
    fileprivate var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether it is neither a blank nor one that only has an effect on others, as zero-width ones.
    fileprivate var isVisible: Bool {
        !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
    }

    /// The characters that change the direction of the text around them, and so can disguise it.
    fileprivate var isDirection: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
