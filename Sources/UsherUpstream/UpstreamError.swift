// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Why a user or a page of movies could not be had.
///
/// The message is for people and may be shown to any peer: it names hosts, files and status codes,
/// and never holds a key, a URL's query, or text that a server sent.
package struct UpstreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure.
    package enum Kind: Sendable, Hashable {
        /// There is no such user or list.
        case notFound
        /// The list has no such page, or no further one.
        case endOfList
        /// The service refused the key or wants one.
        case unauthorized
        /// The service was asked too often.
        case rateLimited
        /// The service is not asked at present: it failed too often, or asked to be left alone.
        case resting
        /// No answer, or no end of it, in time.
        case timeout
        /// The service, or the way to it, does not work, or the connection broke.
        case unreachable
        /// The service's certificate is not trusted.
        case untrusted
        /// An answer came and makes no sense, or is too large.
        case badReply
        /// The service refused for another reason, with this HTTP status.
        case refused(status: Int)
        /// The service failed, with this HTTP status.
        case server(status: Int)
        /// A file cannot be read.
        case unreadable
        /// What the operator configured cannot work.
        case configuration
    }

    package let kind: Kind
    /// For people: what failed and, where there is something to do, what to do.
    package let message: String
    /// When to ask again: what the service asked for, clamped to ``HTTPLimits/retryAfterMilliseconds``, or when it
    /// is next asked at all.
    package var retryAfterMilliseconds: Int?

    package init(_ kind: Kind, _ message: String, retryAfterMilliseconds: Int? = nil) {
        self.kind = kind
        self.message = message
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// Whether the same request may succeed shortly without anyone's doing.
    package var isRetryable: Bool {
        switch kind {
        case .rateLimited, .resting, .timeout, .unreachable, .server: true
        case .notFound, .endOfList, .unauthorized, .untrusted, .badReply, .refused, .unreadable,
            .configuration:
            false
        }
    }

    /// Whether it tells that the service does not work or is not reached, rather than what the service says.
    var isNoAnswer: Bool {
        isRetryable || kind == .untrusted || kind == .configuration
    }

    package var description: String { message }
}
