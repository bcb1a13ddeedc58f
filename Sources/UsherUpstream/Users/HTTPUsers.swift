// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// Users of an HTTP service that gives one JSON object at `BASE/{id}`.
package final class HTTPUsers: UserDirectory {
    package let ownUser: OwnUser

    private let fetcher: HTTPFetcher
    private let base: BaseURL

    /// Takes over the fetcher, and closes it.
    ///
    /// `ownUser` is the user of peers that name none.
    package init(fetcher: HTTPFetcher, base: BaseURL, ownUser: Int64) {
        self.fetcher = fetcher
        self.base = base
        self.ownUser = .fixed(ownUser)
    }

    package var counters: UpstreamCounters { fetcher.counters }

    package func fetch(_ id: Int64, completion: @escaping (Result<User, UpstreamError>) -> Void) {
        let reply = UserReply(id: id, place: base.place)
        fetcher.fetch(HTTPRequest(base, path: "/\(id)"), read: reply.read) {
            [unowned self] result in
            if case .success(let fetched) = result {
                fetcher.count(repairedFields: fetched.repairedFields)
            }
            completion(result.map(\.user))
        }
    }

    package func close() {
        fetcher.close()
    }
}
