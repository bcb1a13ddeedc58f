// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherCore
import UsherEventLoop
import UsherStore

@testable import UsherDaemon

struct `The environment of a service` {
    @Test func `names the sockets of this process`() {
        let environment = ServiceEnvironment(
            ["LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "usher:"], pid: 42)
        #expect(environment.sockets.map(\.descriptor) == [3, 4, 5])
        #expect(environment.sockets.map(\.name) == ["usher", "unknown", "unknown"])
    }

    @Test(arguments: [
        ["LISTEN_PID": "41", "LISTEN_FDS": "1"], ["LISTEN_FDS": "1"], ["LISTEN_PID": "42"],
        ["LISTEN_PID": "42", "LISTEN_FDS": "-1"], ["LISTEN_PID": "42", "LISTEN_FDS": "1000000"],
        ["LISTEN_PID": "42", "LISTEN_FDS": "x"],
    ])
    func `has no sockets that are another's or make no sense`(_ variables: [String: String]) {
        #expect(ServiceEnvironment(variables, pid: 42).sockets.isEmpty)
    }

    @Test func `has a watchdog for all processes or for one`() {
        #expect(ServiceEnvironment(["WATCHDOG_USEC": "5"], pid: 42).watchdogMicroseconds == 5)
        let own = ["WATCHDOG_USEC": "5", "WATCHDOG_PID": "42"]
        #expect(ServiceEnvironment(own, pid: 42).watchdogMicroseconds == 5)
        #expect(ServiceEnvironment(own, pid: 41).watchdogMicroseconds == nil)
        #expect(ServiceEnvironment(["WATCHDOG_USEC": "0"], pid: 42).watchdogMicroseconds == nil)
    }

    @Test func `is taken out of the process's environment`() {
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS", "LISTEN_FDNAMES"] {
            _ = unsafe setenv(name, "0", 1)
        }
        _ = ServiceEnvironment.take(from: [:])
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS", "LISTEN_FDNAMES"] {
            #expect(unsafe getenv(name) == nil)
        }
    }
}

/// A store that answers when it is told to.
private final class HangingStore: ChangeLog {
    let memory = MemoryChangeLog()
    var asked: [@Sendable () -> Void] = []

    func open() throws(StoreError) -> StoredState { try memory.open() }
    func commit(
        _ change: Change, generation: Int,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) { memory.commit(change, generation: generation, completion: completion) }
    func confirmAlive(completion: @escaping @Sendable () -> Void) { asked.append(completion) }
    func close() { memory.close() }
    var status: StoreStatus { memory.status }
}

@Suite(.timeLimit(.minutes(5))) struct `A watchdog` {
    @Test func `gives no sign of life while the store hangs, and goes on when it answers`() throws {
        let loop = try EventLoop()
        let store = HangingStore()
        var signs = 0
        var steps = 0
        do {
            let watchdog = Watchdog(microseconds: 3_000, on: loop, store: store) { signs += 1 }
            // Twenty of the watchdog's intervals, on the same clock.
            let timer = Timer(on: loop) {
                steps += 1
                if steps == 20 {
                    #expect(signs == 0)
                    // Asked once, not once an interval: a store that hangs is not flooded.
                    #expect(store.asked.count == 1)
                }
                if steps >= 20 { store.asked.popLast()?() }
                if signs >= 3 { loop.stop() }
            }
            timer.start(afterMilliseconds: 1, repeatingMilliseconds: 1)
            loop.run()
            withExtendedLifetime(watchdog) {}
        }
        #expect(signs >= 3)
        loop.close()
    }
}
