// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherCurl

/// An address that libcurl understands, in its parts as they are written.
///
/// libcurl alone would take more: one slash or three in front of the host, escapes for it, and a host that it changes
/// where it likes.
struct Address {
    /// In lower case.
    let scheme: String
    /// As it is written; an IPv6 address with its brackets.
    let host: String
    let port: Int?
    /// Empty, or beginning with a slash; what may not stand in a path is escaped.
    let path: String
    /// Whether something stands in front of an `@`, be it empty.
    let hasUser: Bool
    /// Whether there is a query or a fragment, be it empty.
    let hasQueryOrFragment: Bool

    /// Reads `scheme://[user[:password]@]host[:port][/path][?query][#fragment]` of printable ASCII without blanks.
    init?(_ address: String) {
        let isPlain = address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isPlain, let parsed = CurlURL(address) else { return nil }
        let rest = address.dropFirst(parsed.scheme.count)
        guard rest.hasPrefix("://") else { return nil }
        let authority = rest.dropFirst(3).prefix { !"/?#".contains($0) }
        let behind = rest[authority.endIndex...]
        let user = authority.lastIndex(of: "@").map { authority.index(after: $0) }
        let place = authority[(user ?? authority.startIndex)...]
        let end = place.first == "[" ? place.firstIndex(of: "]").map(place.index(after:)) : nil
        host = String(place[..<(end ?? place.firstIndex(of: ":") ?? place.endIndex)])
        guard !host.isEmpty, end != nil || host.utf8.allSatisfy(Self.isOfName) else { return nil }
        scheme = parsed.scheme
        port = parsed.port
        let path = behind.prefix { !"?#".contains($0) }
        self.path = Self.escaped(path.utf8)
        hasUser = user != nil
        hasQueryOrFragment = path.count < behind.count
    }

    /// A path in which no byte is left that RFC 3986 does not allow there.
    private static func escaped(_ path: Substring.UTF8View) -> String {
        let bytes = Array(path)
        var escaped = ""
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "%") && bytes.count > index + 2
                && bytes[index + 1...index + 2].allSatisfy(isHexadecimal)
            if isEscape || isOfName(byte) || "~!$&'()*+,;=:@/".utf8.contains(byte) {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                escaped += "%" + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        Character(Unicode.Scalar(byte)).isHexDigit
    }

    /// Letters, digits and the signs that stand between them, which also make an IPv4 address.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// What libcurl makes of an address.
private struct CurlURL {
    let scheme: String
    let port: Int?

    init?(_ address: String) {
        guard let url = unsafe curl_url() else { fatalError("out of memory") }
        defer { unsafe curl_url_cleanup(url) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)
        guard unsafe curl_url_set(url, CURLUPART_URL, address, flags) == CURLUE_OK,
            let scheme = unsafe Self.part(CURLUPART_SCHEME, of: url)
        else { return nil }
        self.scheme = scheme
        port = unsafe Self.part(CURLUPART_PORT, of: url).flatMap { Int($0) }
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(url, part, &text, 0) == CURLUE_OK, let text = unsafe text else {
            return nil
        }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
