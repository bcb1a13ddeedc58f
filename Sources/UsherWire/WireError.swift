// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Why a request failed: stable API, unlike the message.
///
/// Each reason belongs to one JSON-RPC code.
package enum ErrorReason: String, Sendable, CaseIterable {
    // The line is not JSON.
    case badJSON = "bad_json"
    case invalidUTF8 = "invalid_utf8"
    case nulByte = "nul_byte"
    case tooDeep = "too_deep"
    case badNumber = "bad_number"
    // The JSON is not a request.
    case badVersion = "bad_version"
    case badID = "bad_id"
    case duplicateID = "duplicate_id"
    case duplicateKey = "duplicate_key"
    case unknownMember = "unknown_member"
    case notObject = "not_object"
    case batchEmpty = "batch_empty"
    case batchTooBig = "batch_too_big"
    case unknownMethod = "unknown_method"
    // The parameters do not fit the method.
    case missing = "missing"
    case unknownParam = "unknown_param"
    case wrongType = "wrong_type"
    case outOfRange = "out_of_range"
    case badCursor = "bad_cursor"
    case keyReused = "key_reused"
    case `internal` = "internal"
    // Framing, limits and roles.
    case lineTooLong = "line_too_long"
    case resultTooLarge = "result_too_large"
    case permissionDenied = "permission_denied"
    case shuttingDown = "shutting_down"
    case busy = "busy"
    case degraded = "degraded"
    case unknownTopic = "unknown_topic"
    case alreadySubscribed = "already_subscribed"
    case notSubscribed = "not_subscribed"
    case tooManySubscriptions = "too_many_subscriptions"
    case tooManyClients = "too_many_clients"
    // The domain.
    case invalidTransition = "invalid_transition"
    case upstreamFailed = "upstream_failed"
    case endOfList = "end_of_list"
    case notFound = "not_found"
    case timeout = "timeout"
    case upstreamAuth = "upstream_auth"

    /// The JSON-RPC error code.
    package var code: Int {
        switch self {
        case .badJSON, .invalidUTF8, .nulByte, .tooDeep, .badNumber: -32700
        case .badVersion, .badID, .duplicateID, .duplicateKey, .unknownMember, .notObject,
            .batchEmpty, .batchTooBig:
            -32600
        case .unknownMethod: -32601
        case .missing, .unknownParam, .wrongType, .outOfRange, .badCursor, .keyReused:
            -32602
        case .internal: -32603
        case .lineTooLong: -32000
        case .resultTooLarge: -32001
        case .permissionDenied: -32003
        case .shuttingDown: -32005
        case .busy: -32006
        case .degraded: -32007
        case .unknownTopic: -32010
        case .alreadySubscribed: -32011
        case .notSubscribed: -32012
        case .tooManySubscriptions: -32013
        case .tooManyClients: -32020
        case .invalidTransition: 1001
        case .upstreamFailed: 1002
        case .endOfList: 1003
        case .notFound: 1004
        case .timeout: 1005
        case .upstreamAuth: 1006
        }
    }

    /// Whether the same request may succeed later without a change.
    package var isRetryable: Bool {
        switch self {
        case .busy, .degraded, .shuttingDown, .tooManyClients, .upstreamFailed, .timeout: true
        default: false
        }
    }

    /// What the reason means, for documentation and `rpc.discover`.
    package var summary: String {
        switch self {
        case .badJSON: "The line is not strict JSON (RFC 8259)."
        case .invalidUTF8: "The line is not valid UTF-8."
        case .nulByte: "The line holds a NUL byte."
        case .tooDeep: "The JSON is nested deeper than the limit."
        case .badNumber: "A number cannot be represented."
        case .badVersion: "The member jsonrpc is there and is not \"2.0\"."
        case .badID: "The id is neither a short string nor an exact integer."
        case .duplicateID: "A request with this id is still in flight on this connection."
        case .duplicateKey: "An object has the same key twice."
        case .unknownMember: "The request has a member that JSON-RPC does not know."
        case .notObject: "The request, or its params, is not an object."
        case .batchEmpty: "The batch holds no request."
        case .batchTooBig: "The batch holds more requests than the limit."
        case .unknownMethod: "There is no such method."
        case .missing: "A required parameter is missing."
        case .unknownParam: "The method has no such parameter."
        case .wrongType: "A parameter has the wrong JSON type."
        case .outOfRange: "A parameter's value is not allowed."
        case .badCursor: "The cursor is not one that this daemon gave."
        case .keyReused: "The key was used for a request with other parameters."
        case .internal: "The daemon failed as it never should; its log has a record of it."
        case .lineTooLong: "The line is longer than the limit; it was discarded."
        case .resultTooLarge: "The answer would be longer than a line may be; ask for less."
        case .permissionDenied: "The method needs a role that the peer does not have."
        case .shuttingDown: "The daemon is stopping."
        case .busy: "Too much is in flight; send again after some answers."
        case .degraded: "The store cannot be written at present; reads go on."
        case .unknownTopic: "There is no such topic."
        case .alreadySubscribed: "The connection has a subscription of this name."
        case .notSubscribed: "The connection has no subscription of this name."
        case .tooManySubscriptions: "The connection has as many subscriptions as it may."
        case .tooManyClients: "The daemon has as many clients as it may."
        case .invalidTransition: "The state does not allow this, as a rename before a fetch."
        case .upstreamFailed: "The service behind the daemon failed or refused."
        case .endOfList: "The list has no such page, or no further one."
        case .notFound: "There is no such user or list."
        case .timeout: "The service behind the daemon did not answer in time."
        case .upstreamAuth: "The service behind the daemon refused the daemon's key, or wants one."
        }
    }
}

/// An error as it is answered to a peer: a value, never thrown across the socket.
package struct WireError: Error, Sendable, Hashable {
    package let reason: ErrorReason
    /// For people: what was wrong and what to do.
    package let message: String
    /// A JSON pointer into the request, where one place is to blame.
    package var path: String?
    /// The byte of the line, from 0, where parsing failed.
    package var offset: Int?
    /// When trying again makes sense.
    package var retryAfterMilliseconds: Int?

    package init(
        _ reason: ErrorReason, _ message: String, path: String? = nil, offset: Int? = nil,
        retryAfterMilliseconds: Int? = nil
    ) {
        self.reason = reason
        self.message = message
        self.path = path
        self.offset = offset
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }
}
