// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherUpstream

struct `A circuit breaker` {
    private var policy: CircuitPolicy {
        var policy = CircuitPolicy()
        policy.failures = 3
        policy.openMilliseconds = 100
        policy.longestOpenMilliseconds = 350
        return policy
    }

    /// One that has just opened, at 0.
    private func opened() -> CircuitBreaker {
        var circuit = CircuitBreaker(policy)
        for _ in 0..<3 { _ = circuit.failed(isProbe: false, at: 0) }
        return circuit
    }

    @Test func `opens after failures in a row, and says so once`() {
        var circuit = CircuitBreaker(policy)
        #expect(circuit.failed(isProbe: false, at: 0) == nil)
        #expect(circuit.failed(isProbe: false, at: 1) == nil)
        #expect(circuit.succeeded() == nil)
        #expect(circuit.failed(isProbe: false, at: 2) == nil)
        #expect(circuit.failed(isProbe: false, at: 3) == nil)
        #expect(circuit.admit(at: 3) == .pass)
        #expect(
            circuit.failed(isProbe: false, at: 4) == .opened(failures: 3, milliseconds: 100))
        #expect(circuit.admit(at: 5) == .refuse(milliseconds: 99))
        #expect(circuit.counters.opened == 1 && circuit.counters.state == .open)
    }

    @Test func `lets one probe through when its time is over, and refuses the others`() {
        var circuit = opened()
        #expect(circuit.admit(at: 99) == .refuse(milliseconds: 1))
        #expect(circuit.admit(at: 100) == .probe)
        #expect(circuit.counters.state == .halfOpen)
        guard case .refuse = circuit.admit(at: 100) else {
            Issue.record("a second probe")
            return
        }
        #expect(circuit.counters.probes == 1)
    }

    @Test func `closes when the probe is answered, and starts counting anew`() {
        var circuit = opened()
        _ = circuit.admit(at: 100)
        #expect(circuit.succeeded() == .closed)
        #expect(circuit.succeeded() == nil)
        #expect(circuit.admit(at: 101) == .pass)
        #expect(circuit.failed(isProbe: false, at: 102) == nil)
        #expect(circuit.counters.failuresInARow == 1)
    }

    @Test func `opens for longer each time a probe fails, up to its bound`() {
        var circuit = opened()
        var rests: [UInt64] = []
        var now: UInt64 = 100
        for _ in 0..<4 {
            #expect(circuit.admit(at: now) == .probe)
            guard case .opened(_, let rest) = circuit.failed(isProbe: true, at: now) else { break }
            rests.append(rest)
            now += rest
        }
        #expect(rests == [200, 350, 350, 350])
        _ = circuit.admit(at: now)
        _ = circuit.succeeded()
        for _ in 0..<2 { _ = circuit.failed(isProbe: false, at: now) }
        #expect(
            circuit.failed(isProbe: false, at: now) == .opened(failures: 3, milliseconds: 100))
    }

    @Test func `stays open as long as the service asked for`() {
        var circuit = CircuitBreaker(policy)
        for _ in 0..<2 { _ = circuit.failed(isProbe: false, at: 0, pause: 9_000) }
        #expect(
            circuit.failed(isProbe: false, at: 0, pause: 9_000)
                == .opened(failures: 3, milliseconds: 9_000))
    }

    @Test func `is not moved by failures of what was sent before it opened`() {
        var circuit = opened()
        #expect(circuit.failed(isProbe: false, at: 50) == nil)
        #expect(circuit.refusal(at: 50) == 50)
        _ = circuit.admit(at: 100)
        #expect(circuit.failed(isProbe: false, at: 101) == nil)
        #expect(circuit.counters.state == .halfOpen)
    }

    @Test func `closes when what was sent before it opened is answered after all`() {
        var circuit = opened()
        #expect(circuit.succeeded() == .closed)
        #expect(circuit.admit(at: 1) == .pass)
    }
}
