// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// What a user may be renamed to.
package struct UserName: Sendable, Hashable {
    /// The name without blanks at its ends.
    package let text: String

    /// Takes a name if it is allowed; `isPasswd` adds what the fields of passwd cannot hold.
    package init(_ name: String, isPasswd: Bool) throws(WireError) {
        let trimmed = name.drop(while: \.isWhitespace)
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) }
        let text = String(trimmed[..<(end ?? trimmed.endIndex)])
        guard !text.isEmpty else { throw Self.refused("name is empty; give 1 to 80 characters") }
        guard text.count <= Limits.nameCharacters else {
            throw Self.refused("name has \(text.count) characters; at most 80 are allowed")
        }
        for scalar in text.unicodeScalars {
            guard !scalar.isControl, !scalar.isDirection else {
                throw Self.refused("name holds a control or text direction character; leave it out")
            }
            guard !isPasswd || !":,=".unicodeScalars.contains(scalar) else {
                throw Self.refused("name holds \(scalar); a passwd name has no colon, comma or =")
            }
        }
        self.text = text
    }

    private static func refused(_ message: String) -> WireError {
        WireError(.outOfRange, message, path: "/params/name")
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

    /// The characters that change the direction of the text around them, and so can disguise it.
    fileprivate var isDirection: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
