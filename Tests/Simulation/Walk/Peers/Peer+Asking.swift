// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

extension Peer {
    /// Asks as one line of JSON, or typed.
    func ask(_ ask: Ask, _ chance: Chance) {
        if ask.canBeTyped, chance.percent(20) {
            trace.count(.shorthand)
            expect(ask, id: "\(lines + 1)", end: queue(Array(ask.typed.utf8)))
        } else {
            let id = newID(chance)
            let line = ask.json(id: id, hasVersion: chance.percent(80))
            let ending: [UInt8] = chance.percent(10) ? [0x0D, 0x0A] : [0x0A]
            expect(ask, id: id, end: queue(Array(line.utf8), ending: ending))
        }
    }

    /// Asks with a line that only the end of the stream will end.
    func askWithoutEnd(_ ask: Ask) {
        let id = "\(lastID + 1)"
        lastID += 1
        let end = queue(Array(ask.json(id: id, hasVersion: true).utf8), ending: [])
        // It is no line before the end is known.
        expect(ask, id: id, end: end + 1)
    }

    /// Asks for something and does not want to hear of it.
    func notify(_ ask: Ask) {
        trace.count(.notification)
        note(ask)
        queue(Array(ask.json(id: nil, hasVersion: true).utf8))
    }

    /// Asks for several things with one line.
    func askTogether(_ asks: [Ask], _ chance: Chance) {
        trace.count(.batch)
        var pending: [Pending] = []
        let ids = asks.map { _ in chance.percent(85) ? newID(chance) : nil }
        let parts = zip(asks, ids).map { $0.json(id: $1, hasVersion: true) }
        let end = queue(Array("[\(parts.joined(separator: ","))]".utf8))
        for (ask, id) in zip(asks, ids) {
            note(ask)
            guard let id else { continue }
            if case .rename(_, let name, nil) = ask, !isDenied(ask),
                asks.allSatisfy({ !$0.isDeferred })
            {
                pendingNames.insert(name)
            }
            pending.append(
                Pending(id: id, ask: ask, heads: model.heads, end: end, isInBatch: true))
        }
        guard let first = pending.first else { return }
        let whole = Pending(id: first.id, ask: first.ask, heads: [:], end: end, batch: pending)
        if asks.contains(where: \.isDeferred) {
            deferred.append(whole)
        } else {
            inOrder.append(whole)
        }
    }

    /// Sends a line that is no request.
    func sendMalformed(_ chance: Chance) {
        let (line, reason, id): ([UInt8], String, String) = chance.pick([
            (Array("{\"jsonrpc\":\"2.0\",\"id\":1,".utf8), "bad_json", "null"),
            (Array("[]".utf8), "batch_empty", "null"),
            (Array("!".utf8), "bad_json", "null"),
            ([0x7B, 0xFF, 0x7D], "invalid_utf8", "null"),
            ([0x22, 0x00], "nul_byte", "null"),
            (Array("{\"id\":900001,\"method\":\"user.got\"}".utf8), "unknown_method", "900001"),
            (Array("{\"id\":7,\"id\":8,\"method\":\"ping\"}".utf8), "duplicate_key", "null"),
            (
                Array("{\"id\":900001,\"method\":\"sync\",\"params\":{\"x\":1}}".utf8),
                "unknown_param", "900001"
            ),
            (Array("renam x".utf8), "unknown_method", "\(lines + 1)"),
            (Array(repeating: 0x5B, count: 40), "too_deep", "null"),
        ])
        trace.count(.malformedLine)
        expect(.malformed(reason: reason), id: id, end: queue(line))
    }

    /// Sends a line that nobody is asked to store.
    func sendTooLong() {
        trace.count(.lineTooLong)
        let line = [UInt8](repeating: 0x78, count: Limits.lineBytes + 100)
        expect(.malformed(reason: "line_too_long"), id: "null", end: queue(line))
    }

    /// Sends what is to be ignored, but counts as a line.
    func sendNothing(_ chance: Chance) { queue(chance.pick([[], Array("# nothing".utf8)])) }

    /// Whether the daemon has to refuse this to such a peer.
    func isDenied(_ ask: Ask) -> Bool { role < ask.role(ownUser: ownUser) }

    private func newID(_ chance: Chance) -> String {
        let number = 1_000_000 + lines * 128 + chance.below(1 << 7)
        lastID = max(lastID + 1, number)
        return chance.percent(50) ? "\(lastID)" : "\"\(lastID)\""
    }

    private func expect(_ ask: Ask, id: String, end: Int) {
        note(ask)
        if case .rename(_, let name, nil) = ask, !isDenied(ask) { pendingNames.insert(name) }
        var pending = Pending(id: id, ask: ask, heads: model.heads, end: end)
        pending.wasDone = ask.key.map { model.isDone($0, by: uid) } ?? false
        if ask.isDeferred { deferred.append(pending) } else { inOrder.append(pending) }
    }

    private func note(_ ask: Ask) {
        switch ask {
        case .rename(let user, let name, _):
            if !isDenied(ask) { model.allow(name, for: user) }
        case .subscribe(let follower, _): follower.isPending = true
        default: break
        }
    }
}
