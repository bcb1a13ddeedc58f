// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A GET request.
///
/// Path and query come from us and are made of characters that need no escaping.
package struct HTTPRequest: Sendable, Hashable {
    /// How a request shows who it is from.
    package enum Credential: Sendable, Hashable {
        /// A further parameter of the query.
        case parameter(name: String, Secret)
        /// The header `Authorization: Bearer`.
        case bearer(Secret)
    }

    package let base: BaseURL
    /// What follows the base address, beginning with a slash.
    package let path: String
    /// Without the question mark; empty for none.
    package let query: String
    package let credential: Credential?
    /// The marks of an answer that is known: the service need not send it again.
    var validators: HTTPResponse.Validators?

    package init(
        _ base: BaseURL, path: String, query: String = "", credential: Credential? = nil
    ) {
        self.base = base
        self.path = path
        self.query = query
        self.credential = credential
    }

    /// Names what is asked for, among all that is asked of a service; without the credential.
    var key: String { "\(path)?\(query)" }

    /// The whole address, the secret parameter included: for libcurl alone.
    var exposedURL: String {
        var parameters = query
        if case .parameter(let name, let secret) = credential {
            if !parameters.isEmpty { parameters += "&" }
            parameters += "\(name)=\(secret.text)"
        }
        return base.text + path + (parameters.isEmpty ? "" : "?" + parameters)
    }
}
