// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// Where users come from.
///
/// A directory lives on one loop's thread.
package protocol UserDirectory: AnyObject {
    /// Asks for one user.
    ///
    /// Completes once, on the loop, possibly before `fetch` returns; after `close()` never.
    func fetch(_ id: Int64, completion: @escaping (Result<User, UpstreamError>) -> Void)
    /// Which user a peer means that names none.
    var ownUser: OwnUser { get }
    /// What was asked of the service so far.
    var counters: UpstreamCounters { get }
    /// Abandons what is in flight; nothing completes after. Allowed at any time, twice too, and
    /// needed before the release.
    func close()
}

/// Which user a peer means that names none.
package enum OwnUser: Sendable, Hashable {
    /// The user whose id is the peer's uid.
    case peerUID
    /// The same user for all peers.
    case fixed(Int64)
}

extension User {
    /// Bytes of a user's name, username or phone.
    ///
    /// Three of these at six bytes a character still fit a line.
    package static let textBytes = 2_048
}

extension String {
    /// The text, without what is beyond a number of UTF-8 bytes; characters are not split.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
