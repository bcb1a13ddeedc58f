// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Who the client says it is, whom it trusts, and by which way it goes.
package struct HTTPIdentity: Sendable, Hashable {
    /// The addresses of a name that are used.
    package enum IPVersion: String, Sendable, Hashable, CaseIterable {
        /// Both: the other family is tried too when the first does not connect at once.
        case any
        case four = "4"
        case six = "6"
    }

    /// Milliseconds that one family of addresses is ahead of the other (RFC 8305's happy eyeballs).
    static let otherFamilyMilliseconds = 200

    /// The header `User-Agent`, such as `usherd/1.0`.
    package var userAgent: String
    /// A file of certificates (PEM) to trust instead of the system's; libcurl reads it, no variable
    /// of the environment stands in for it.
    package var certificateFile: String?
    package var proxy = ProxyChoice.environment
    /// The proxy in use, for messages; nil if there is none.
    package var proxyName: String?
    package var ipVersion = IPVersion.any

    package init(userAgent: String, certificateFile: String? = nil) {
        self.userAgent = userAgent
        self.certificateFile = certificateFile
    }
}

/// Where requests learn of their proxy.
package enum ProxyChoice: Sendable, Hashable, CustomStringConvertible {
    /// From the environment, as libcurl reads it: `https_proxy`, `HTTPS_PROXY`, `http_proxy` (lower case only),
    /// `all_proxy`, `ALL_PROXY`.
    case environment
    /// There is none, whatever the environment says.
    case none
    /// This one, but for the hosts that `no_proxy` lists.
    case address(String)

    /// Protocols that libcurl speaks with a proxy.
    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Reads `none`, `environment` or an address.
    ///
    /// A password is refused: a command line is seen by all, and a configuration is shown around.
    package init(_ text: String) throws(UpstreamError) {
        switch text {
        case "none": self = .none
        case "environment": self = .environment
        default:
            guard let parts = Address(text), Self.schemes.contains(parts.scheme),
                text.hasPrefix(parts.scheme), ["", "/"].contains(parts.path),
                !parts.hasQueryOrFragment
            else {
                throw UpstreamError(
                    .configuration,
                    "a proxy is none, environment, or an address such as http://host:3128, with "
                        + Self.schemes.joined(separator: ", ") + " in front")
            }
            guard !parts.hasUser else {
                throw UpstreamError(
                    .configuration,
                    "the address of a proxy has no user name and password here; "
                        + "give it in https_proxy, in the service's environment, with both")
            }
            self = .address(text)
        }
    }

    package var description: String {
        switch self {
        case .environment: "environment"
        case .none: "none"
        case .address(let address): address
        }
    }

    /// The proxy for addresses of a scheme, without user name and password, and what names it; nil if there is none.
    package func inUse(
        for base: BaseURL, environment: [String: String]
    ) -> (name: String, source: String)? {
        switch self {
        case .none: return nil
        case .address(let address): return (Self.withoutSecrets(address), "proxy")
        case .environment:
            let own = base.scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
            for name in own + ["all_proxy", "ALL_PROXY"] {
                // To libcurl an empty one is not there.
                guard let address = environment[name], !address.isEmpty else { continue }
                return (Self.withoutSecrets(address), name)
            }
            return nil
        }
    }

    /// An address without what stands before its last `@`, however it is written.
    private static func withoutSecrets(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return address }
        let scheme = address.firstRange(of: "://").map { address[..<$0.upperBound] } ?? ""
        return String(scheme + address[address.index(after: at)...])
    }
}
