// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherCore
import UsherWire

struct AccessTests {
    private static let own = Peer(role: .read, ownUser: 1000, ownsUser: true)
    private static let shared = Peer(role: .read, ownUser: 1, ownsUser: false)

    private func needed(_ call: Call, _ method: Method, by peer: Peer) -> Role {
        peer.roleNeeded(for: call, of: MethodTable.entry(for: method))
    }

    @Test(arguments: [nil, 1000] as [Int64?])
    func `Who has a user of its own may fetch and rename it`(user: Int64?) {
        #expect(
            needed(.userFetch(user: user, wait: true), .userFetch, by: Self.own) == .read)
        #expect(
            needed(.userRename(user: user, name: "x"), .userRename, by: Self.own) == .read)
    }

    @Test(arguments: [0, 1, 1001] as [Int64])
    func `Other users need control`(user: Int64) {
        for peer in [Self.own, Self.shared] {
            #expect(needed(.userFetch(user: user, wait: true), .userFetch, by: peer) == .control)
            #expect(needed(.userRename(user: user, name: "x"), .userRename, by: peer) == .control)
        }
    }

    @Test func `A user that all peers share needs control too`() {
        #expect(needed(.userFetch(user: nil, wait: true), .userFetch, by: Self.shared) == .control)
        #expect(
            needed(.userRename(user: nil, name: "x"), .userRename, by: Self.shared) == .control)
    }

    @Test func `Looking at users needs no more than reading`() {
        #expect(needed(.userGet(user: 5), .userGet, by: Self.own) == .read)
        #expect(
            needed(
                .subscribe(Call.Subscribe(topic: "user/5", name: "u")), .subscribe, by: Self.own)
                == .read)
    }

    @Test func `Other methods need what the table says, whoever asks`() {
        for peer in [Self.own, Self.shared] {
            #expect(
                needed(.moviesFetch(.popular, page: nil, wait: true), .moviesFetch, by: peer)
                    == .read)
            #expect(needed(.moviesRefresh(.popular), .moviesRefresh, by: peer) == .control)
            #expect(needed(.clients(offset: 0), .clients, by: peer) == .control)
            #expect(needed(.engineStop, .engineStop, by: peer) == .admin)
        }
    }
}
