// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

@testable import UsherUpstream

@Suite(.timeLimit(.minutes(5))) struct DemoUsersTests {
    private func outcomes(
        seed: UInt64?, rate: Double, on test: TestLoop, count: Int = 200
    ) -> [Bool] {
        let users = DemoUsers(on: test.loop, delaySeconds: 0, failureRate: rate, seed: seed)
        defer { users.close() }
        var outcomes: [Bool] = []
        for _ in 0..<count { users.fetch(0) { outcomes.append($0.failure == nil) } }
        return outcomes
    }

    @Test func `Without a delay a fetch completes before it returns`() throws {
        try withTestLoop { test in
            let users = DemoUsers(on: test.loop, delaySeconds: 0, failureRate: 0)
            var user: User?
            users.fetch(0) { user = try? $0.get() }
            #expect(user == User(id: 0, name: "Mina Seo", username: "mina", phone: "555-0100"))
            users.fetch(12) { user = try? $0.get() }
            #expect(user == User(id: 12, name: "Guest 12", username: "guest12"))
            #expect(users.ownUser == .fixed(0))
        }
    }

    @Test func `One seed gives one run, another seed another`() throws {
        try withTestLoop { test in
            let first = outcomes(seed: 7, rate: 0.5, on: test)
            #expect(outcomes(seed: 7, rate: 0.5, on: test) == first)
            #expect(outcomes(seed: 8, rate: 0.5, on: test) != first)
            #expect((60...140).contains(first.count { $0 }))
        }
    }

    @Test func `The rate's ends are never and always`() throws {
        try withTestLoop { test in
            #expect(outcomes(seed: nil, rate: 0, on: test) == Array(repeating: true, count: 200))
            #expect(outcomes(seed: nil, rate: 1, on: test) == Array(repeating: false, count: 200))
        }
    }

    @Test func `With a delay fetches complete later, in order, on the loop`() throws {
        try withTestLoop { test in
            let users = DemoUsers(on: test.loop, delaySeconds: 0.01, failureRate: 0)
            defer { users.close() }
            var ids: [Int64] = []
            _ = try test.wait { (done: @escaping (Bool) -> Void) in
                for id in 0..<3 as Range<Int64> {
                    users.fetch(id) { result in
                        if let user = try? result.get() { ids.append(user.id) }
                        if ids.count == 3 { done(true) }
                    }
                }
                #expect(ids.isEmpty)
            }
            #expect(ids == [0, 1, 2])
        }
    }

    @Test func `A failure says to try again; a negative id has no user`() throws {
        try withTestLoop { test in
            let failing = DemoUsers(on: test.loop, delaySeconds: 0, failureRate: 1)
            var error: UpstreamError?
            failing.fetch(0) { error = $0.failure }
            #expect(error?.message == "the user service did not answer this time; try again")
            #expect(error?.isRetryable == true)
            let users = DemoUsers(on: test.loop, delaySeconds: 0, failureRate: 0)
            users.fetch(-1) { error = $0.failure }
            #expect(error?.kind == .notFound)
        }
    }

    @Test func `Closing abandons what waits`() throws {
        try withTestLoop { test in
            let users = DemoUsers(on: test.loop, delaySeconds: 0.005, failureRate: 0)
            var hasCompleted = false
            users.fetch(0) { _ in hasCompleted = true }
            users.close()
            users.close()
            users.fetch(0) { _ in hasCompleted = true }
            test.run(forMilliseconds: 20)
            #expect(!hasCompleted)
        }
    }

    @Test func `The generator gives the published numbers`() {
        // The reference values of splitmix64 for the seed 1234567.
        var random = SplitMix64(seed: 1_234_567)
        let numbers = (0..<3).map { _ in random.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }
}
