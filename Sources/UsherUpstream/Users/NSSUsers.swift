// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherEventLoop
package import UsherWire

/// The machine's own users, as its name service switch knows them: files, systemd, LDAP and others.
///
/// A look-up may block, so it is made on the thread pool, and given up after a time: its thread
/// goes on, what it finds is ignored. Few look-ups run at a time, since a dead LDAP server must not
/// take all of the pool from others.
package final class NSSUsers: UserDirectory {
    /// Milliseconds until a look-up that waits or runs is given up.
    package static let timeLimitMilliseconds: UInt64 = 5_000
    /// Look-ups on the pool at a time; libuv's pool has four threads.
    package static let lookUpsAtOnce = 2
    /// Look-ups that may wait for one of these places.
    package static let lookUpsWaiting = 256
    /// The uid that means "none" to the system: (uid_t)-1.
    private static let noUID = UInt32.max

    package let ownUser = OwnUser.peerUID
    package private(set) var counters = UpstreamCounters()

    private let loop: EventLoop
    private let timeLimitMilliseconds: UInt64
    private let find: @Sendable (UInt32) -> Result<PasswdRecord?, UpstreamError>
    private var lookUps: [Int: LookUp] = [:]
    private var waiting: [Int] = []
    private var running = 0
    private var lastNumber = 0
    private var isClosed = false

    package convenience init(on loop: EventLoop) {
        self.init(
            on: loop, timeLimitMilliseconds: Self.timeLimitMilliseconds, find: PasswdRecord.find)
    }

    /// Takes another database and limit, for tests.
    init(
        on loop: EventLoop, timeLimitMilliseconds: UInt64,
        find: @escaping @Sendable (UInt32) -> Result<PasswdRecord?, UpstreamError>
    ) {
        self.loop = loop
        self.timeLimitMilliseconds = timeLimitMilliseconds
        self.find = find
    }

    package func fetch(_ id: Int64, completion: @escaping (Result<User, UpstreamError>) -> Void) {
        guard !isClosed else { return }
        guard let uid = UInt32(exactly: id), uid != Self.noUID else {
            completion(.failure(Self.noUser(id)))
            return
        }
        guard waiting.count < Self.lookUpsWaiting else {
            completion(
                .failure(
                    UpstreamError(.unreachable, "the system's user database is not keeping up")))
            return
        }
        lastNumber += 1
        let number = lastNumber
        let timer = Timer(on: loop) { [unowned self] in giveUp(number) }
        timer.start(afterMilliseconds: timeLimitMilliseconds)
        lookUps[number] = LookUp(uid: uid, timer: timer, completion: completion)
        waiting.append(number)
        startWaiting()
    }

    package func close() {
        isClosed = true
        lookUps = [:]
        waiting = []
    }

    private func startWaiting() {
        while running < Self.lookUpsAtOnce, !waiting.isEmpty {
            let number = waiting.removeFirst()
            guard let lookUp = lookUps[number] else { continue }
            running += 1
            let (uid, find) = (lookUp.uid, find)
            loop.work {
                find(uid)
            } then: { [weak self] result in
                guard let self, !isClosed else { return }
                running -= 1
                finish(number, result)
                startWaiting()
            }
        }
    }

    private func finish(_ number: Int, _ result: Result<PasswdRecord?, UpstreamError>) {
        guard let lookUp = lookUps.removeValue(forKey: number) else { return }
        let user = result.flatMap { record -> Result<User, UpstreamError> in
            guard let record, record.uid == lookUp.uid else {
                return .failure(Self.noUser(Int64(lookUp.uid)))
            }
            if record.isRepaired { counters.repairedRecords += 1 }
            return .success(record.user)
        }
        lookUp.completion(user)
    }

    private func giveUp(_ number: Int) {
        guard let lookUp = lookUps.removeValue(forKey: number) else { return }
        waiting.removeAll { $0 == number }
        lookUp.completion(
            .failure(
                UpstreamError(
                    .timeout,
                    "the system's user database did not answer within \(timeLimitMilliseconds) ms"
                )))
    }

    private static func noUser(_ id: Int64) -> UpstreamError {
        UpstreamError(.notFound, "the system has no user with uid \(id)")
    }
}

/// One look-up that somebody waits for.
private final class LookUp {
    let uid: UInt32
    let completion: (Result<User, UpstreamError>) -> Void
    /// Stops with the look-up.
    private let timer: Timer

    init(
        uid: UInt32, timer: consuming Timer,
        completion: @escaping (Result<User, UpstreamError>) -> Void
    ) {
        self.uid = uid
        self.timer = timer
        self.completion = completion
    }
}
