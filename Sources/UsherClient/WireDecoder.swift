// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import UsherWire

/// Decodes stretches of lines, and turns what goes wrong into errors of the client.
enum WireDecoder {
    static func decode<Value: Decodable>(
        _ type: Value.Type, from json: some Collection<UInt8>
    ) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json))
    }

    /// The result of a request as what the caller expects.
    static func reply<Reply: Decodable>(_ json: [UInt8]) throws(ClientError) -> Reply {
        do {
            return try decode(Reply.self, from: json)
        } catch {
            throw unexpected("an answer", underlying: error)
        }
    }

    /// The error of a request, as the daemon sent it.
    static func error(_ json: some Collection<UInt8>) -> ClientError {
        do {
            let body = try decode(ErrorBody.self, from: json)
            return ClientError(
                .refused, body.message, reason: body.data?.reason,
                isRetryable: body.data?.retryable ?? false,
                retryAfter: body.data?.retryAfterMilliseconds.map { .milliseconds($0) })
        } catch {
            return unexpected("an error", underlying: error)
        }
    }

    static func unexpected(_ what: String, underlying: (any Error)? = nil) -> ClientError {
        ClientError(
            .unexpectedReply,
            "the daemon sent \(what) that this client does not understand; "
                + "use a daemon and a client of the same release",
            underlying: underlying)
    }

    private struct ErrorBody: Decodable {
        let message: String
        let data: Details?

        struct Details: Decodable {
            let reason: String?
            let retryable: Bool?
            let retryAfterMilliseconds: Int64?

            enum CodingKeys: String, CodingKey {
                case reason, retryable
                case retryAfterMilliseconds = "retry_after_ms"
            }
        }
    }
}

// MARK: Results

struct HelloReply: Decodable {
    let daemon: Daemon

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let server = try members.nestedContainer(keyedBy: ServerKeys.self, forKey: .server)
        daemon = Daemon(
            version: try server.decode(String.self, forKey: .version),
            role: try members.decodeIfPresent(String.self, forKey: .role) ?? Role.read.rawValue,
            user: try members.decodeIfPresent(Int64.self, forKey: .user),
            isDegraded: try members.decodeIfPresent(Bool.self, forKey: .degraded) ?? false)
    }

    private enum CodingKeys: String, CodingKey { case server, role, user, degraded }
    private enum ServerKeys: String, CodingKey { case version }
}

struct PingReply: Decodable {
    let uptimeMilliseconds: Int64

    enum CodingKeys: String, CodingKey { case uptimeMilliseconds = "uptime_ms" }
}

struct UserReply: Decodable {
    let state: WireUserState

    func loadedUser() throws(ClientError) -> User {
        guard let user = state.state.user else {
            throw WireDecoder.unexpected("a user that is not loaded")
        }
        return user
    }
}

struct MoviesReply: Decodable {
    let page: MoviePage
    let next: Int?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        page = MoviePage(
            offset: try members.decode(Int.self, forKey: .offset),
            movies: try members.decode([WireMovie].self, forKey: .items).map(\.movie),
            status: try members.decode(WireStatus.self, forKey: .status).status)
        next = try members.decodeIfPresent(Int.self, forKey: .next)
    }

    private enum CodingKeys: String, CodingKey { case offset, items, next, status }
}

struct ListStatusReply: Decodable {
    let status: WireStatus
}

/// The reply to `subscribe`.
struct SubscribeReply<Content: Decodable>: Decodable {
    let cursor: String
    let recovered: Bool
    let snapshot: Content?
    /// The rest of the snapshot follows as pushes.
    let more: Bool?
    /// The daemon cannot store anything at present.
    let degraded: Bool?
}

/// The parameters of the line that says whether the daemon can store anything.
struct Health: Decodable {
    let degraded: Bool
}

/// The parameters of a push.
struct Push<Content: Decodable>: Decodable {
    let cursor: String
    let prev: String
    let data: Content
    /// Chunks follow, and ``prev`` stays the cursor until the last one.
    let more: Bool?
}
