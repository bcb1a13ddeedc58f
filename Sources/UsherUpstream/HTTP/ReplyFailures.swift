// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How an answer fails that is not what was asked for, whichever service gave it.
///
/// A service first looks at what has a meaning of its own there. Pure; runs on any thread.
struct ReplyFailures: Sendable {
    /// The service's host.
    let place: String
    /// What was asked for: `page`, `user`.
    let wanted: String

    /// What a status says that is not 200; `code` is the service's own code in the body.
    func error(_ response: HTTPResponse, code: Int? = nil) -> UpstreamError {
        let status = response.status
        let detail = Self.detail(response, code: code)
        switch status {
        case 429:
            return UpstreamError(
                .rateLimited, "\(place) was asked too often (\(detail))",
                retryAfterMilliseconds: response.retryAfterMilliseconds)
        case 500...599:
            return UpstreamError(
                .server(status: status), "\(place) failed (\(detail))",
                retryAfterMilliseconds: response.retryAfterMilliseconds)
        case 304: return bad("\(place) says that nothing changed (\(detail)), unasked")
        case 300...399:
            return bad("\(place) points elsewhere (\(detail)), which is not followed")
        case 407: return .proxyRefused(status: status, proxy: nil, place: place)
        case 400...499:
            return UpstreamError(.refused(status: status), "\(place) refused (\(detail))")
        default: return bad("\(place) sent no \(wanted) (\(detail))")
        }
    }

    /// A status, and the service's own code, for messages.
    static func detail(_ response: HTTPResponse, code: Int?) -> String {
        code.map { "HTTP \(response.status), code \($0)" } ?? "HTTP \(response.status)"
    }

    /// Why a body cannot be one JSON object; nil if it may be.
    func error(_ shape: JSONShape) -> UpstreamError? {
        switch shape {
        case .object: nil
        case .empty: bad("\(place) sent an empty answer")
        case .markup:
            bad(
                "\(place) answered with a web page instead of JSON: "
                    + "a sign-in page of the network, or a wrong base address")
        case .array: bad("\(place) sent a list instead of one \(wanted)")
        case .other: bad("\(place) sent something that is not a \(wanted)")
        }
    }

    func bad(_ message: String) -> UpstreamError {
        UpstreamError(.badReply, message)
    }
}
