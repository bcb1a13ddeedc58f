// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// When a service that keeps failing is left alone, and when it is tried again.
package struct CircuitPolicy: Sendable, Hashable {
    /// Tries in a row that fail until the service is left alone.
    package var failures = 5
    /// Milliseconds that it is left alone the first time; twice as long each time that the probe fails too.
    package var openMilliseconds = 5_000
    /// The longest that it is left alone, what the service asks for not counted.
    package var longestOpenMilliseconds = 60_000

    package init() {}
}

/// Keeps requests from a service that fails, so that neither it nor those who ask wait for nothing.
///
/// Closed, requests pass. After some failures in a row it opens, and requests are refused. When its time is over the
/// next request passes as the probe: an answer closes the circuit, a failure opens it again, for longer. Pure; moments
/// are milliseconds of any clock that only grows.
package struct CircuitBreaker: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case closed
        case open
        /// The probe is on its way.
        case halfOpen = "half_open"
    }

    /// What is counted.
    package struct Counters: Sendable, Hashable {
        package var state = State.closed
        package var failuresInARow = 0
        /// How often the circuit opened, probes that failed included.
        package var opened = 0
        package var probes = 0
        /// Requests that were not sent.
        package var refused = 0
    }

    /// A change of state, for the log.
    enum Change: Equatable {
        case opened(failures: Int, milliseconds: UInt64)
        case probing
        case closed
    }

    /// How a try may go on.
    enum Admission: Equatable {
        case pass
        /// As the one that tries whether the service answers.
        case probe
        /// Not now; perhaps after so many milliseconds.
        case refuse(milliseconds: UInt64)
    }

    /// Milliseconds after which to ask again while the probe is on its way.
    private static let probeMilliseconds: UInt64 = 1_000

    private(set) var counters = Counters()
    private let policy: CircuitPolicy
    /// When the next probe may be sent.
    private var reopening: UInt64 = 0
    /// How often the circuit opened since it was last closed.
    private var openings = 0

    init(_ policy: CircuitPolicy) {
        self.policy = policy
    }

    /// Milliseconds after which a request would not be refused; nil if it would not be now.
    func refusal(at now: UInt64) -> UInt64? {
        switch counters.state {
        case .closed: nil
        case .open: now < reopening ? reopening - now : nil
        case .halfOpen: Self.probeMilliseconds
        }
    }

    /// Lets a try through, or not; a probe has to be answered with `succeeded` or `failed`.
    mutating func admit(at now: UInt64) -> Admission {
        if let wait = refusal(at: now) { return .refuse(milliseconds: wait) }
        guard counters.state == .open else { return .pass }
        counters.state = .halfOpen
        counters.probes += 1
        return .probe
    }

    mutating func countRefusal() {
        counters.refused += 1
    }

    /// The service answered, whatever it said.
    mutating func succeeded() -> Change? {
        counters.failuresInARow = 0
        guard counters.state != .closed else { return nil }
        counters.state = .closed
        openings = 0
        return .closed
    }

    /// The service failed; `pause` is how long it asked to be left alone.
    ///
    /// What was sent before the circuit opened and fails after it says nothing new.
    mutating func failed(isProbe: Bool, at now: UInt64, pause: UInt64 = 0) -> Change? {
        guard counters.state == .closed || isProbe else { return nil }
        counters.failuresInARow += 1
        guard isProbe || counters.failuresInARow >= policy.failures else { return nil }
        let longest = UInt64(policy.longestOpenMilliseconds)
        let rest = min(UInt64(policy.openMilliseconds) << UInt64(min(openings, 16)), longest)
        let milliseconds = max(rest, pause)
        openings += 1
        counters.opened += 1
        counters.state = .open
        reopening = now + milliseconds
        return .opened(failures: counters.failuresInARow, milliseconds: milliseconds)
    }
}
