// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// What a peer named a request with, so that it can send it again without having it carried out again.
///
/// Peers of one uid share their keys, since a request that is sent again comes over another connection.
package struct RequestKey: Sendable, Hashable {
    package let uid: UInt32
    package let text: String

    package init(uid: UInt32, text: String) {
        self.uid = uid
        self.text = text
    }
}

/// A key as it came with a request, and when: in milliseconds since the daemon's start.
package struct KeyUse: Sendable, Hashable {
    package let key: RequestKey
    package let uptime: UInt64

    package init(_ key: RequestKey, uptime: UInt64) {
        self.key = key
        self.uptime = uptime
    }
}

/// What a request with a key was answered, whole, so that it can be answered alike however much has changed since.
///
/// The movies are not in it: they are in the list for as long as its generation lasts.
package enum RequestAnswer: Sendable, Hashable {
    /// A loaded user as it was shown.
    case user(User, revision: UInt64)
    case movies(MovieListName, MovieListStatus, revision: UInt64, offset: Int, count: Int)
    case moviesStatus(MovieListName, MovieListStatus, revision: UInt64)
}

/// A request with a key that was carried out, as the store keeps it.
package struct AnsweredRequest: Sendable, Hashable {
    package var key: RequestKey
    /// What was asked, so that the key is not taken for another request.
    package var digest: UInt64
    package var answer: RequestAnswer
    /// The revision of the change that it is kept with.
    package var revision: UInt64
    /// When it was carried out, in milliseconds of the time that daemons have served this store.
    package var servedMilliseconds: UInt64

    package init(
        key: RequestKey, digest: UInt64, answer: RequestAnswer, revision: UInt64,
        servedMilliseconds: UInt64
    ) {
        self.key = key
        self.digest = digest
        self.answer = answer
        self.revision = revision
        self.servedMilliseconds = servedMilliseconds
    }
}

/// The requests of one uid, up to a revision, that need not be kept any more.
package struct ForgottenRequests: Sendable, Hashable {
    package var uid: UInt32
    package var through: UInt64

    package init(uid: UInt32, through: UInt64) {
        self.uid = uid
        self.through = through
    }
}

/// A short number that stands for what a request asked: FNV-1a, of 64 bits.
///
/// It guards a peer against its own mistakes and nobody against a forger, who could only deceive himself.
struct RequestDigest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ parts: String...) {
        for part in parts {
            for byte in part.utf8 { add(byte) }
            // No part holds this byte, so parts cannot be cut in another way.
            add(0xFF)
        }
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
