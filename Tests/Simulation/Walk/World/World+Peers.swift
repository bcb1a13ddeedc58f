// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherEventLoop
import UsherWire

// What peers do of their own accord.
extension World {
    func visit(_ peer: Peer) throws {
        guard let socket = peer.socket else { return connect(peer) }
        if peer.stallsUntil <= now {
            let appetite = chance.percent(80) ? Int.max : chance.below(400)
            try peer.read(appetite)
        }
        guard peer.isConnected else { return }
        if chance.percent(habits.leaving) { return leave(peer) }
        if chance.percent(habits.stalling) {
            peer.stallsUntil = now + UInt64(chance.below(90_000))
        }
        guard !peer.hasEnded else { return }
        if chance.percent(habits.asking) {
            for _ in 0..<(chance.percent(80) ? 1 : chance.below(12)) { ask(peer) }
            if chance.percent(1) { crowd(peer) }
        }
        if !peer.outbox.isEmpty, chance.percent(85) { send(peer) }
        if !socket.isDelivered, socket.availableBytes > 0 { trace.count(.clogged) }
    }

    private func connect(_ peer: Peer) {
        guard let process else { return trace.count(.knockedInVain) }
        lastDescriptor += 1
        let pid = 10_000 + lastDescriptor
        let capacity = chance.pick(habits.capacities)
        let socket = PeerSocket(
            descriptor: lastDescriptor, capacity: capacity,
            PeerCredentials(pid: pid, uid: peer.uid, gid: peer.gid))
        guard process.loop.connect(socket) else { return trace.count(.knockedInVain) }
        trace.note(peer.name, "connects as pid \(pid)")
        peer.connect(socket, pid: pid)
        peer.mayBeCut = isStopping
        if chance.percent(30) { peer.ask(.hello(name: peer.name), chance) }
        for follower in peer.followers where chance.percent(85) { subscribe(peer, follower) }
        if !peer.outbox.isEmpty, chance.percent(80) { send(peer) }
    }

    func subscribe(_ peer: Peer, _ follower: Follower) {
        if chance.percent(5) { follower.forget() }
        let since = chance.percent(3) ? follower.position?.madeUp : follower.position
        peer.ask(.subscribe(follower, since: since), chance)
    }

    private func leave(_ peer: Peer) {
        if chance.percent(50) {
            peer.close()
        } else if !peer.hasEnded {
            if chance.percent(30) {
                trace.count(.lastLineWithoutEnd)
                peer.askWithoutEnd(.ping)
            }
            peer.shutWriting()
        }
    }

    private func send(_ peer: Peer) {
        let all = peer.outbox.count
        let count =
            switch chance.below(100) {
            case ..<60: all
            case ..<65: 1
            case ..<80: 1 + chance.below(min(all, 40))
            default: 1 + chance.below(all)
            }
        peer.send(count)
        if chance.percent(30), !peer.outbox.isEmpty { peer.send(peer.outbox.count) }
    }

    /// More lines at once than the daemon takes in one turn.
    private func crowd(_ peer: Peer) {
        trace.count(.crowded)
        for _ in 0..<100 { peer.ask(.userGet(chance.pick(users)), chance) }
        peer.send(peer.outbox.count)
    }

    // MARK: Asking

    private func ask(_ peer: Peer) {
        if chance.percent(habits.malformed) {
            switch chance.below(20) {
            case 0: peer.sendTooLong()
            case 1, 2: peer.sendNothing(chance)
            default: peer.sendMalformed(chance)
            }
            return
        }
        switch chance.below(100) {
        case ..<6: peer.notify(change(of: peer))
        case ..<14:
            let asks = (0..<1 + chance.below(4)).map { _ in
                chance.percent(40) ? change(of: peer) : look()
            }
            peer.askTogether(asks, chance)
        case ..<42: peer.ask(change(of: peer), chance)
        case ..<50: askWithKey(peer)
        case ..<74: peer.ask(look(), chance)
        case ..<80: peer.ask(.sync, chance)
        case ..<97: changeSubscriptions(peer)
        default:
            let ask: Ask = chance.pick([.stats, .clients, .reload, .hello(name: peer.name), .stop])
            if case .stop = ask {
                guard chance.percent(30) || peer.role != .admin else { return }
                if peer.role == .admin { expectStop() }
            }
            peer.ask(ask, chance)
        }
    }

    private func change(of peer: Peer) -> Ask {
        let user = chance.percent(50) ? peer.ownUser ?? 7 : chance.pick(users)
        let list = chance.pick(Services.lists).rawValue
        return switch chance.below(100) {
        case ..<30: .userFetch(user, waits: chance.percent(60))
        case ..<65: .rename(user, newName())
        case ..<92:
            .moviesFetch(
                list, page: chance.percent(60) ? nil : 1 + chance.below(4),
                waits: chance.percent(60)
            )
        default: .refresh(list)
        }
    }

    /// Asks for a change with a key, or again for one that may have been done already.
    private func askWithKey(_ peer: Peer) {
        if let known = keyed[peer.uid], chance.percent(60) {
            trace.count(.repeated)
            return peer.ask(chance.pick(known), chance)
        }
        let key = "key-\(keyed.values.reduce(0) { $0 + $1.count })"
        let ask: Ask =
            switch change(of: peer) {
            case .rename(let user, let name, _): .rename(user, name, key: key)
            case .moviesFetch(let list, let page, let waits, _):
                .moviesFetch(list, page: page, waits: waits, key: key)
            case .refresh(let list, _): .refresh(list, key: key)
            case let other: other
            }
        if ask.key != nil { keyed[peer.uid, default: []].append(ask) }
        peer.ask(ask, chance)
    }

    private func look() -> Ask {
        switch chance.below(10) {
        case ..<2: .ping
        case ..<6: .userGet(chance.pick(users))
        default:
            .moviesGet(
                chance.pick(Services.lists).rawValue,
                offset: chance.percent(70) ? 0 : chance.below(9),
                limit: 1 + chance.below(60))
        }
    }

    private func changeSubscriptions(_ peer: Peer) {
        let follower = chance.pick(peer.followers)
        if follower.isPending { return }
        if follower.isActive {
            peer.ask(.unsubscribe(follower), chance)
        } else {
            subscribe(peer, follower)
        }
    }
}
