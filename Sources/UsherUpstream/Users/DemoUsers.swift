// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherEventLoop
package import UsherWire

/// A made-up user service, as slow and unreliable as one likes, for trying what real ones do on bad
/// days.
package final class DemoUsers: UserDirectory {
    package let ownUser = OwnUser.fixed(0)
    package let counters = UpstreamCounters()

    private let loop: EventLoop
    private let delayMilliseconds: UInt64
    private let failureRate: Double
    private var random: SplitMix64
    private var timers: [Int: PendingTimer] = [:]
    private var lastNumber = 0
    private var isClosed = false

    /// Makes a service that answers after `delaySeconds` and fails at `failureRate`, 0 to 1.
    ///
    /// Two services with one seed give the same answers to the same calls; without a seed chance
    /// decides. Without a delay a fetch completes before it returns.
    package init(
        on loop: EventLoop, delaySeconds: Double, failureRate: Double, seed: UInt64? = nil
    ) {
        precondition((0...86_400).contains(delaySeconds), "the delay is 0 to 86,400 seconds")
        precondition((0...1).contains(failureRate), "the failure rate is 0 to 1")
        self.loop = loop
        self.failureRate = failureRate
        delayMilliseconds = UInt64((delaySeconds * 1_000).rounded())
        random = SplitMix64(seed: seed ?? UInt64.random(in: .min ... .max))
    }

    package func fetch(_ id: Int64, completion: @escaping (Result<User, UpstreamError>) -> Void) {
        guard !isClosed else { return }
        // Drawn at once, so that the order of the calls alone decides who fails.
        let fails = random.nextUnit() < failureRate
        let result = fails ? .failure(Self.failure) : Self.user(id)
        guard delayMilliseconds > 0 else {
            completion(result)
            return
        }
        lastNumber += 1
        let number = lastNumber
        let timer = Timer(on: loop) { [unowned self] in
            timers[number] = nil
            completion(result)
        }
        timer.start(afterMilliseconds: delayMilliseconds)
        timers[number] = PendingTimer(timer)
    }

    package func close() {
        isClosed = true
        timers = [:]
    }

    private static let failure = UpstreamError(
        .unreachable, "the user service did not answer this time; try again")

    private static let people = [
        ("Mina Seo", "mina"), ("Tomasz Wilk", "tomasz"), ("Ngozi Ade", "ngozi"),
        ("Elif Kaya", "elif"), ("Ravi Menon", "ravi"), ("Ines Duarte", "ines"),
        ("Jonas Lind", "jonas"), ("Aroha Tane", "aroha"),
    ]

    /// The user with a number: one of a few people, then numbered guests.
    private static func user(_ id: Int64) -> Result<User, UpstreamError> {
        guard id >= 0 else {
            return .failure(UpstreamError(.notFound, "the demo's users are numbered from 0"))
        }
        guard let index = Int(exactly: id), index < people.count else {
            return .success(User(id: id, name: "Guest \(id)", username: "guest\(id)"))
        }
        let (name, username) = people[index]
        return .success(User(id: id, name: name, username: username, phone: "555-010\(index)"))
    }
}

/// A dictionary cannot hold a timer, which has one owner; it can hold this.
private final class PendingTimer {
    private let timer: Timer

    init(_ timer: consuming Timer) {
        self.timer = timer
    }
}

/// A small random number generator that gives the same numbers on every machine: splitmix64, by
/// Sebastiano Vigna.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number from 0 up to but not including 1.
    mutating func nextUnit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}
