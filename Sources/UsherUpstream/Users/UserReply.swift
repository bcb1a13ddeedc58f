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

    func read(_ response: HTTPResponse) -> Result<FetchedUser, UpstreamError> {
        guard response.status == 200 else { return .failure(error(response)) }
        if let error = failures.error(JSONShape(of: response.body)) { return .failure(error) }
        return user(response.body)
    }

    private var failures: ReplyFailures { ReplyFailures(place: place, wanted: "user") }

    private func user(_ body: [UInt8]) -> Result<FetchedUser, UpstreamError> {
        guard let record = ReceivedJSON(body).flatMap({ UserBody($0.root) }) else {
            return .failure(
                failures.bad("\(place) sent JSON that is not a user with id, name and username"))
        }
        guard record.id == id else {
            return .failure(
                failures.bad("\(place) sent user \(record.id) when asked for user \(id)"))
        }
        let name = record.name.isEmpty ? record.username : record.name
        guard !name.isEmpty else {
            return .failure(
                failures.bad("user \(id) of \(place) has neither a name nor a username"))
        }
        let texts = [name, record.username, record.phone].map { $0?.cut(toBytes: User.textBytes) }
        let user = User(
            id: id, name: texts[0] ?? "", username: texts[1] ?? "", phone: texts[2])
        let repairs = [
            record.name.isEmpty, texts[0] != name, texts[1] != record.username,
            texts[2] != record.phone,
        ]
        return .success(
            FetchedUser(
                user: user, repairedFields: record.repairedFields + repairs.count { $0 }))
    }

    private func error(_ response: HTTPResponse) -> UpstreamError {
        switch response.status {
        case 404, 410: UpstreamError(.notFound, "\(place) has no user \(id)")
        case 401, 403:
            UpstreamError(
                .unauthorized,
                "\(place) refused access (\(ReplyFailures.detail(response, code: nil)))")
        default: failures.error(response)
        }
    }
}

/// A user as it came, with what was put right.
struct FetchedUser: Sendable, Hashable {
    let user: User
    /// How many members were of another type than they should be, missing though needed, or too long.
    let repairedFields: Int
}

/// A user's record; members that are not named here are ignored.
private struct UserBody {
    let id: Int64
    let name: String
    let username: String
    let phone: String?
    /// How many members were taken though they are of an odd type, or left out for it.
    let repairedFields: Int

    /// Reads a record; nil if the value is none.
    init?(_ value: ReceivedValue) {
        guard let members = value.members, let id = members["id"].flatMap(Self.id),
            let name = Self.text(members["name"]), let username = Self.text(members["username"])
        else { return nil }
        self.name = name
        self.username = username
        let phone = Self.phone(members["phone"])
        self.id = id.number
        self.phone = phone.text
        repairedFields = [id.isRepaired, phone.isRepaired].count { $0 }
    }

    /// A text, empty where there is none; nil for anything else.
    private static func text(_ member: ReceivedValue?) -> String? {
        guard let member else { return "" }
        return member.text
    }

    /// A number, or its digits as text.
    private static func id(_ member: ReceivedValue) -> (number: Int64, isRepaired: Bool)? {
        guard let text = member.text else { return member.integer.map { ($0, false) } }
        guard let id = Int64(text), String(id) == text else { return nil }
        return (id, true)
    }

    /// Free text, or a number; everything else is no telephone.
    private static func phone(_ member: ReceivedValue?) -> (text: String?, isRepaired: Bool) {
        guard let member else { return (nil, false) }
        if let text = member.text { return (text.isEmpty ? nil : text, false) }
        if let number = member.integer { return (String(number), true) }
        return (member.number?.description, true)
    }
}
