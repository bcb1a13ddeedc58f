// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing
import UsherWire

@testable import UsherUpstream

@Suite(.timeLimit(.minutes(5))) struct NSSUsersTests {
    /// A database that is made up: uid 7 is there, 8 is broken.
    private static let find: @Sendable (UInt32) -> Result<PasswdRecord?, UpstreamError> = { uid in
        switch uid {
        case 7: .success(PasswdRecord(uid: 7, login: [0x67], gecos: [0xE9]))
        case 8: .failure(UpstreamError(.unreachable, "broken"))
        default: .success(nil)
        }
    }

    private func fetch(
        _ id: Int64, of users: NSSUsers, on test: TestLoop
    ) throws -> Result<User, UpstreamError> {
        try test.wait { done in users.fetch(id, completion: done) }
    }

    @Test func `This process's own user is found, with its login name`() throws {
        try withTestLoop { test in
            let users = NSSUsers(on: test.loop)
            defer { users.close() }
            let record = try #require(try PasswdRecord.find(getuid()).get())
            let user = try fetch(Int64(getuid()), of: users, on: test).get()
            #expect(user.id == Int64(getuid()))
            #expect(user.username == String(decoding: record.login, as: UTF8.self))
            #expect(!user.username.isEmpty && !user.name.isEmpty)
            #expect(users.ownUser == .peerUID)
        }
    }

    @Test func `Root is root`() throws {
        try withTestLoop { test in
            let users = NSSUsers(on: test.loop)
            defer { users.close() }
            try #expect(fetch(0, of: users, on: test).get().username == "root")
        }
    }

    @Test(arguments: [-1, 4_294_967_295, 4_294_967_296, Int64.min, Int64.max])
    func `What is no uid has no user, and is not looked up`(id: Int64) throws {
        try withTestLoop { test in
            let users = NSSUsers(on: test.loop, timeLimitMilliseconds: 5_000) { _ in
                Issue.record("looked up")
                return .success(nil)
            }
            defer { users.close() }
            let error = try #require(try fetch(id, of: users, on: test).failure)
            #expect(error == UpstreamError(.notFound, "the system has no user with uid \(id)"))
        }
    }

    @Test func `Not there, broken and badly encoded are three things`() throws {
        try withTestLoop { test in
            let users = NSSUsers(on: test.loop, timeLimitMilliseconds: 5_000, find: Self.find)
            defer { users.close() }
            try #expect(fetch(9, of: users, on: test).failure?.kind == .notFound)
            try #expect(fetch(8, of: users, on: test).failure?.kind == .unreachable)
            try #expect(fetch(7, of: users, on: test).get().name == "\u{FFFD}")
            #expect(users.counters.repairedRecords == 1)
        }
    }

    @Test func `A real uid that nobody has is not found`() throws {
        try withTestLoop { test in
            let users = NSSUsers(on: test.loop)
            defer { users.close() }
            let error = try #require(try fetch(4_000_000_001, of: users, on: test).failure)
            #expect(error.kind == .notFound)
        }
    }

    @Test func `A look-up that hangs times out, and those behind it go on after it`() throws {
        try withTestLoop { test in
            // The two places on the pool wait here until the test has seen the time-outs.
            let gate = Gate()
            let users = NSSUsers(on: test.loop, timeLimitMilliseconds: 100) { uid in
                if uid == 1 { gate.wait() }
                return Self.find(uid)
            }
            defer { users.close() }
            var kinds: [UpstreamError.Kind?] = []
            _ = try test.wait { (done: @escaping (Bool) -> Void) in
                for uid in [1, 1, 7] as [Int64] {
                    users.fetch(uid) { result in
                        kinds.append(result.failure?.kind)
                        if kinds.count == 3 { done(true) }
                    }
                }
            }
            #expect(kinds == [.timeout, .timeout, .timeout])
            gate.open()
            // The places are free again as soon as the loop has heard of it.
            var user: User?
            while user == nil { user = try? fetch(7, of: users, on: test).get() }
            #expect(user?.username == "g")
        }
    }

    @Test func `More look-ups than may wait are refused at once`() throws {
        try withTestLoop { test in
            let gate = Gate()
            let users = NSSUsers(on: test.loop, timeLimitMilliseconds: 60_000) { _ in
                gate.wait()
                return .success(nil)
            }
            var refused: [UpstreamError] = []
            let capacity = NSSUsers.lookUpsAtOnce + NSSUsers.lookUpsWaiting
            for uid in 0..<Int64(capacity + 1) {
                users.fetch(uid) { if let error = $0.failure { refused.append(error) } }
            }
            #expect(refused.map(\.kind) == [.unreachable])
            users.close()
            users.close()
            gate.open()
            test.run(forMilliseconds: 20)
            #expect(refused.count == 1)
        }
    }
}

/// Holds threads up until it is opened.
private final class Gate: Sendable {
    private let isOpen = Atomic(false)

    func wait() {
        while !isOpen.load(ordering: .acquiring) { usleep(1_000) }
    }

    func open() {
        isOpen.store(true, ordering: .releasing)
    }
}
