// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Why a request failed, or why there is no connection.
///
/// Look at ``code`` for what kind of failure it is, at ``reason`` for what the daemon says, and
/// show ``message`` to people.
public struct ClientError: Error, Sendable, CustomStringConvertible {
    /// A kind of failure.
    ///
    /// Compare with the constants; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case missingSocket, staleSocket, forbiddenSocket, invalidSocketPath
            case connectionFailed, connectionLost
            case timedOut, cancelled, closed
            case invalidRequest, unexpectedReply, refused
        }

        private let kind: Kind

        /// There is no socket where it was looked for (ENOENT): the daemon never ran there.
        public static let missingSocket = Code(kind: .missingSocket)
        /// There is a socket, and nobody listens (ECONNREFUSED): the daemon is gone.
        public static let staleSocket = Code(kind: .staleSocket)
        /// The socket may not be opened by this user (EACCES, EPERM).
        public static let forbiddenSocket = Code(kind: .forbiddenSocket)
        /// The path cannot be a socket's: too long, or in a folder that is not to be trusted.
        public static let invalidSocketPath = Code(kind: .invalidSocketPath)
        /// The connection could not be made for another reason.
        public static let connectionFailed = Code(kind: .connectionFailed)
        /// The connection ended before the answer; whether the request was carried out is not
        /// known.
        ///
        /// Requests of ``UsherClient/call(_:params:timeout:)`` fail so, and others that only read.
        /// Those that change something are sent again.
        public static let connectionLost = Code(kind: .connectionLost)
        /// No answer came in time.
        public static let timedOut = Code(kind: .timedOut)
        /// The calling task was cancelled; the request may have been carried out.
        public static let cancelled = Code(kind: .cancelled)
        /// The client was closed.
        public static let closed = Code(kind: .closed)
        /// The request could not be sent as it is: its parameters are no JSON object, or too long.
        public static let invalidRequest = Code(kind: .invalidRequest)
        /// The daemon sent what this version of the client does not understand.
        public static let unexpectedReply = Code(kind: .unexpectedReply)
        /// The daemon answered with an error; see ``ClientError/reason``.
        public static let refused = Code(kind: .refused)

        /// The name of the constant.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened and what to do about it, in one or two sentences for people.
    public let message: String
    /// The daemon's word for it, such as `not_found` or `permission_denied`: stable, unlike the
    /// message.
    ///
    /// Nil unless the daemon answered.
    public var reason: String?
    /// Whether the same request may succeed later without a change.
    public var isRetryable: Bool
    /// How long the daemon asks to wait before the next try; nil if it does not say.
    public var retryAfter: Duration?
    /// What lies beneath: a `POSIXError`, a `DecodingError`, or another `ClientError`.
    public var underlying: (any Error)?

    /// Makes an error from its parts, for tests and previews too.
    public init(
        _ code: Code, _ message: String, reason: String? = nil, isRetryable: Bool = false,
        retryAfter: Duration? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.reason = reason
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
        self.underlying = underlying
    }

    /// The message.
    public var description: String { message }
}

/// Errors are equal when they say the same; what lies beneath is not compared.
extension ClientError: Hashable {
    /// Whether both say the same.
    public static func == (left: ClientError, right: ClientError) -> Bool {
        left.code == right.code && left.message == right.message && left.reason == right.reason
            && left.isRetryable == right.isRetryable && left.retryAfter == right.retryAfter
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(reason)
    }
}
