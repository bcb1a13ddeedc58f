// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A key for TMDB: the old form of 32 hexadecimal digits (v3), or the long access token (v4).
///
/// TMDB takes each only in its own place, and confusing them is what goes wrong most often; so the
/// form is told by its looks. Printing a key shows its form and its source.
package struct TMDBKey: Sendable, Hashable, CustomStringConvertible {
    /// The two forms.
    package enum Form: String, Sendable, Hashable {
        case v3
        case v4
    }

    /// Bytes of a key; real ones are far shorter.
    static let maximumBytes = 4_096

    package let form: Form
    /// Where the key came from, for people: a path or the name of a variable.
    package let source: String
    private let secret: Secret

    /// Takes a key as it was found, with at most one line end after it.
    package init(_ text: String, source: String) throws(UpstreamError) {
        var bytes = Array(text.utf8)
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        if Self.isV3(bytes) {
            form = .v3
        } else if Self.isV4(bytes) {
            form = .v4
        } else {
            throw UpstreamError(
                .configuration,
                bytes.isEmpty
                    ? "the TMDB key from \(source) is empty"
                    : "the TMDB key from \(source) is neither a v3 key (32 hexadecimal digits) "
                        + "nor a v4 access token (eyJ…, three parts joined by dots)")
        }
        secret = Secret(String(decoding: bytes, as: UTF8.self))
        self.source = source
    }

    package var description: String { "the \(form.rawValue) key from \(source)" }

    /// The key in the place that TMDB takes it in.
    var credential: HTTPRequest.Credential {
        switch form {
        case .v3: .parameter(name: "api_key", secret)
        case .v4: .bearer(secret)
        }
    }

    private static func isV3(_ bytes: [UInt8]) -> Bool {
        bytes.count == 32 && bytes.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    private static func isV4(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return bytes.count <= maximumBytes && bytes.starts(with: "eyJ".utf8) && parts.count == 3
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isBase64URL) }
    }

    /// Whether a byte may stand in a token; a line end in it would forge a header.
    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
