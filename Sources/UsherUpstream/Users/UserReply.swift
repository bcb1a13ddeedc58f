// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherWire

/// What an answer of a user service means.
///
/// Pure; runs on any thread.
struct UserReply: Sendable {
    /// The user that was asked for.
    let id: Int64
    /// The service's host, for messages.
    let place: String

    func read(_ response: HTTPResponse) -> Result<User, UpstreamError> {
        guard response.status == 200 else { return .failure(error(response)) }
        switch JSONShape(of: response.body) {
        case .object: return user(response.body)
        case .empty: return .failure(bad("\(place) sent an empty answer"))
        case .markup: return .failure(bad("\(place) answered with a web page instead of JSON"))
        case .array: return .failure(bad("\(place) sent a list instead of one user"))
        case .other: return .failure(bad("\(place) sent something that is not a user"))
        }
    }

    private func user(_ body: [UInt8]) -> Result<User, UpstreamError> {
        guard let record = decodeJSON(UserBody.self, from: body) else {
            return .failure(
                bad("\(place) sent JSON that is not a user with id, name and username"))
        }
        guard record.id == id else {
            return .failure(bad("\(place) sent user \(record.id) when asked for user \(id)"))
        }
        let name = record.name.isEmpty ? record.username : record.name
        guard !name.isEmpty else {
            return .failure(bad("user \(id) of \(place) has neither a name nor a username"))
        }
        return .success(
            User(
                id: id, name: name.cut(toBytes: User.textBytes),
                username: record.username.cut(toBytes: User.textBytes),
                phone: record.phone?.cut(toBytes: User.textBytes)))
    }

    private func error(_ response: HTTPResponse) -> UpstreamError {
        let status = response.status
        switch status {
        case 404, 410: return UpstreamError(.notFound, "\(place) has no user \(id)")
        case 401, 403:
            return UpstreamError(.unauthorized, "\(place) refused access (HTTP \(status))")
        case 429:
            return UpstreamError(
                .rateLimited, "\(place) was asked too often (HTTP 429)",
                retryAfterMilliseconds: response.retryAfterMilliseconds)
        case 500...599:
            return UpstreamError(
                .server(status: status), "\(place) failed (HTTP \(status))",
                retryAfterMilliseconds: response.retryAfterMilliseconds)
        case 300...399:
            return bad("\(place) points elsewhere (HTTP \(status)), which is not followed")
        case 400...499:
            return UpstreamError(.refused(status: status), "\(place) refused (HTTP \(status))")
        default: return bad("\(place) sent no user (HTTP \(status))")
        }
    }

    private func bad(_ message: String) -> UpstreamError {
        UpstreamError(.badReply, message)
    }
}

/// A user's record; members that are not named here are ignored.
private struct UserBody: Decodable {
    let id: Int64
    let name: String
    let username: String
    let phone: String?

    private enum CodingKeys: String, CodingKey {
        case id, name, username, phone
    }

    init(from decoder: any Decoder) throws {
        let record = try decoder.container(keyedBy: CodingKeys.self)
        id = try Self.id(record)
        name = try record.decodeIfPresent(String.self, forKey: .name) ?? ""
        username = try record.decodeIfPresent(String.self, forKey: .username) ?? ""
        phone = Self.phone(record)
    }

    /// A number, or its digits as text.
    private static func id(_ record: KeyedDecodingContainer<CodingKeys>) throws -> Int64 {
        if let text = try? record.decode(String.self, forKey: .id) {
            guard let id = Int64(text), String(id) == text else {
                throw DecodingError.dataCorruptedError(
                    forKey: .id, in: record, debugDescription: "not the digits of a number")
            }
            return id
        }
        return try record.decode(Int64.self, forKey: .id)
    }

    /// Free text, or a number; everything else is no telephone.
    private static func phone(_ record: KeyedDecodingContainer<CodingKeys>) -> String? {
        if let text = try? record.decode(String.self, forKey: .phone) {
            return text.isEmpty ? nil : text
        }
        if let number = try? record.decode(Int64.self, forKey: .phone) { return String(number) }
        let number = try? record.decode(Double.self, forKey: .phone)
        return number.map { $0.description }
    }
}
