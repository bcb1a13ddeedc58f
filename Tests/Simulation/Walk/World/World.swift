// Part of Usher. SPDX-License-Identifier: Apache-2.0

// One walk: the daemon with everything around it played by chance. The walk holds the only thread; whatever happens,
// happens because it made it happen, so a seed gives the same walk again.

import UsherDaemon
import UsherEventLoop
import UsherUpstream
import UsherWire

final class World {
    /// When the machine was started, by its own clock.
    static let birth: UInt64 = 1_000_000

    let chance: Chance
    let habits: Habits
    let trace: Trace
    let log: LogBook
    let disk: Disk
    let services: Services
    let model: Model
    let source: ConfigurationSource
    let configuration: Configuration
    var peers: [Peer] = []

    /// The process, while there is one.
    var process: Process?
    /// Whether somebody who may asked it to stop, or it was told to.
    var isStopping = false
    /// When it was told to by a signal, and whether by another one after that.
    var toldToStopAt: UInt64?
    var wasToldTwice = false
    /// How many of its writes found no room so far.
    var partialWrites = 0
    var lastDescriptor: Int32 = 10
    var lastName = 0
    /// What was asked with a key, by uid, to be asked again.
    var keyed: [UInt32: [Ask]] = [:]

    /// The daemon of one life, and what it runs on.
    struct Process {
        let daemon: Daemon
        let loop: EventLoop
        let store: SimulatedStore
    }

    init(seed: UInt64, trace: Trace) throws {
        Kernel.now = Self.birth
        chance = Chance(seed: seed)
        habits = Habits(chance)
        self.trace = trace
        log = LogBook(isShown: trace.isShown)
        disk = Disk(epoch: Epoch(value: chance.next()))
        services = Services(chance, trace)
        model = Model(disk, services)
        source = ConfigurationSource(habits.arguments, environment: [:], uid: 65_533)
        guard case .serve(let configuration) = try source.read() else {
            throw Violation("the walk's configuration is none")
        }
        self.configuration = configuration
        makePeers()
    }

    /// Walks, lets everything that was begun come to an end, and looks whether everybody knows it.
    func walk() throws {
        try start()
        for _ in 0..<habits.steps {
            try step()
            if chance.percent(habits.turning) { try turn() }
        }
        try settle()
    }

    var now: UInt64 { Kernel.now }

    func pass(_ milliseconds: UInt64) { Kernel.now += milliseconds }

    // MARK: What happens

    private func step() throws {
        guard let process else {
            if chance.percent(30) { try start() } else { try visit(chance.pick(peers)) }
            return
        }
        if chance.percent(habits.killing) { return try kill() }
        if chance.percent(habits.stopping) { return try tellToStop() }
        if chance.percent(habits.reloading) { return reload() }
        if chance.percent(habits.breaking) { disk.isBroken.toggle() }
        switch chance.below(100) {
        case ..<55: try visit(chance.pick(peers))
        case ..<72: process.store.work(all: chance.percent(70))
        case ..<86: services.answer(chance)
        default: letTimePass()
        }
        if habits.isStormy, chance.percent(1) { try storm() }
    }

    private func letTimePass() {
        if chance.percent(habits.waiting), let next = process?.loop.nextTimer, next > now {
            pass(next - now)
        } else if chance.percent(habits.waiting) {
            pass(UInt64(chance.below(isStopping ? 200 : 90_000)))
        } else {
            pass(UInt64(chance.below(20)))
        }
        if chance.percent(50) { process?.store.probe() }
    }

    /// More renames than a user's history remembers, while nobody reads.
    private func storm() throws {
        guard
            let peer = peers.first(where: { $0.role == .admin && $0.isConnected && !$0.hasEnded }),
            let user = peers.flatMap(\.followers).first(where: {
                $0.state["state"].text == "loaded"
            })?
            .user
        else { return }
        for _ in 0..<300 { peer.notify(.rename(user, newName())) }
        peer.send(peer.outbox.count)
        for _ in 0..<80 {
            try turn()
            process?.store.work(all: true)
        }
    }

    func newName() -> String {
        lastName += 1
        return "R\(lastName)" + (lastName % 5 == 0 ? " é😀" : "")
    }

    /// The users that walks are about: those of two peers, and one that is nobody's.
    var users: [Int64] { [70_001, 70_002, 7] }

    private func makePeers() {
        let parser = ValueParser()
        for number in 0..<habits.peers {
            let role = number == 0 ? Role.admin : chance.pick([.read, .read, .control, .admin])
            let uid: UInt32 = role == .admin && number > 0 ? 0 : chance.pick([70_001, 70_002])
            let gid: UInt32 =
                switch role {
                case .read: 100
                case .control: Habits.controlGroup
                case .admin: Habits.adminGroup
                }
            let peer = Peer(
                "peer \(number)", uid: uid, gid: gid, role: role,
                ownUser: services.ownUser == .peerUID ? Int64(uid) : nil, model: model,
                trace: trace, log: log, parser: parser)
            peer.patience = (
                min(habits.stallMilliseconds, 1_000), habits.partialLineMilliseconds
            )
            peers.append(peer)
            for index in 0..<1 + chance.below(4) {
                peer.followers.append(follower(index, of: number))
            }
        }
    }

    private func follower(_ index: Int, of peer: Int) -> Follower {
        let topics =
            users.map { "user/\($0)" } + Services.lists.map { "movies/\($0)" } + ["engine"]
        return Follower(
            chance.pick(topics), name: "s\(index)", mode: chance.pick(["latest", "all"]), model,
            trace)
    }
}
