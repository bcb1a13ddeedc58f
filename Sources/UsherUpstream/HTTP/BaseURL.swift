// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The address of a service that an operator configured: `https://host[:port][/path]`, or the same
/// with `http`.
///
/// Plain `http` is taken because it was asked for in so many words. User names and passwords are
/// refused: an address ends up in messages.
package struct BaseURL: Sendable, Hashable {
    /// The address without a slash at its end.
    let text: String
    /// `host` or `host:port`, for messages.
    package let place: String
    /// The only protocol that requests to this address may use, `https` or `http`.
    let scheme: String

    /// Reads an address; `purpose` names it in the error, which does not repeat it.
    package init(_ address: String, purpose: String) throws(UpstreamError) {
        guard let parts = Address(address), parts.scheme == "https" || parts.scheme == "http",
            !parts.hasUser, !parts.hasQueryOrFragment,
            parts.port.map({ (1...65_535).contains($0) }) ?? true
        else {
            throw UpstreamError(
                .configuration,
                "the address of \(purpose) must look like https://host[:port][/path], "
                    + "without user name, query or fragment")
        }
        var path = parts.path[...]
        while path.last == "/" { path.removeLast() }
        place = parts.port.map { "\(parts.host):\($0)" } ?? parts.host
        scheme = parts.scheme
        text = "\(scheme)://\(place)\(path)"
    }
}
