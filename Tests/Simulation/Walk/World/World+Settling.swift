// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherEventLoop
import UsherStore
import UsherWire

// The end of a walk: nothing fails any more, everything that was begun ends, and everybody knows it.
extension World {
    /// Rounds in which everything ends; a walk that needs more has something that never does.
    private static let rounds = 3_000

    func settle() throws {
        trace.note("world", "lets everything end")
        disk.isBroken = false
        for peer in peers {
            peer.stallsUntil = 0
            peer.socket?.capacity = Peer.ampleCapacity
        }
        try comeToRest()
        try connectAll()
        try comeToRest()
        try lookAtAll()
        try checkConvergence()
        try checkFraming()
        try model.checkHistories()
        try stopAndLookAgain()
    }

    /// Lets the daemon run, with everybody doing their part, until nothing happens any more.
    private func comeToRest() throws {
        for _ in 0..<Self.rounds {
            if process == nil { try start() }
            guard let process else { return }
            process.store.probe()
            process.store.work(all: true)
            services.answer(chance)
            for peer in peers {
                if !peer.outbox.isEmpty { peer.send(peer.outbox.count) }
                try peer.read()
            }
            try turn()
            if isStopping, toldToStopAt == nil { try tellToStop() }
            if isStopping || process.store.status.isDegraded { pass(100) }
            if self.process != nil, isAtRest(process) { return }
        }
        throw Violation("I11: something never ends")
    }

    private func isAtRest(_ process: Process) -> Bool {
        !process.loop.hasWork && !process.store.hasWork && services.questions.isEmpty
            && !process.store.status.isDegraded && !isStopping
            && peers.allSatisfy { $0.outbox.isEmpty && ($0.socket?.availableBytes ?? 0) == 0 }
    }

    private func connectAll() throws {
        for peer in peers {
            if peer.hasEnded { peer.close() }
            if !peer.isConnected { try visit(peer) }
            peer.socket?.capacity = Peer.ampleCapacity
        }
    }

    /// Somebody looks at every topic, and everybody asks for a barrier.
    private func lookAtAll() throws {
        for peer in peers where peer.isConnected && !peer.hasEnded {
            peer.ask(.sync, chance)
            for user in users { peer.ask(.userGet(user), chance) }
            for list in Services.lists {
                peer.ask(.moviesGet(list.rawValue, offset: 0, limit: 500), chance)
            }
        }
        try comeToRest()
        for peer in peers { try peer.requireAllAnswered("all came to rest") }
    }

    private func checkConvergence() throws {
        for peer in peers {
            try Violation.require(
                !peer.knowsDegraded || !peer.followers.contains(where: \.isActive),
                "I15: \(peer.name) was not told that the store can be written again")
            for follower in peer.followers where follower.isActive {
                guard let position = follower.position, let head = model.heads[follower.topic]
                else {
                    continue
                }
                try Violation.require(
                    position.revision >= head,
                    "I4: \(peer.name) is at \(position), \(follower.topic) at \(head)")
                try Violation.require(
                    follower.state["state"].text != "loading"
                        && follower.status["phase"].text != "loading",
                    "\(follower.topic) is loading for ever")
            }
        }
        for list in Services.lists {
            try model.checkAcknowledgedPages(list.rawValue)
        }
    }

    /// Stops in order, starts again, and finds all as it was.
    private func stopAndLookAgain() throws {
        guard chance.percent(30) else { return }
        try tellToStop()
        for _ in 0..<Self.rounds where process != nil {
            for peer in peers { try peer.read() }
            try turn()
            pass(10)
        }
        try Violation.require(process == nil, "I16: the daemon does not stop")
        try comeToRest()
        try connectAll()
        try comeToRest()
        try lookAtAll()
        try checkConvergence()
        try model.checkHistories()
    }
}
