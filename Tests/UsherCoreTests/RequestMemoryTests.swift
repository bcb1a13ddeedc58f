// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

@testable import UsherCore

/// How many requests are remembered, for how long, and who pays when there are too many.
struct RequestMemoryTests {
    private var memory = RequestMemory(
        window: .init(requests: 10, milliseconds: 1_000, slack: 2))
    private var revision: UInt64 = 0

    private func use(_ text: String, uid: UInt32 = 1, uptime: UInt64 = 0) -> KeyUse {
        KeyUse(RequestKey(uid: uid, text: text), uptime: uptime)
    }

    private func request(_ use: KeyUse, served: UInt64, revision: UInt64) -> AnsweredRequest {
        AnsweredRequest(
            key: use.key, digest: 0,
            answer: .user(User(id: 0, name: "", username: ""), revision: revision),
            revision: revision, servedMilliseconds: served)
    }

    /// Remembers a request, as the core does; tells what was forgotten for it.
    private mutating func remember(
        _ text: String, uid: UInt32 = 1, uptime: UInt64 = 0
    ) -> [ForgottenRequests] {
        let use = use(text, uid: uid, uptime: uptime)
        let forgotten = memory.makeRoom(for: use)
        revision += 1
        memory.remember(
            request(use, served: memory.served(at: uptime), revision: revision))
        return forgotten
    }

    @Test mutating func `The oldest go when there are too many, a few at a time`() {
        for number in 1...12 { #expect(remember("k\(number)") == []) }
        #expect(remember("k13") == [ForgottenRequests(uid: 1, through: 2)])
        #expect(memory.request(use("k2")) == nil)
        #expect(memory.request(use("k3")) != nil)
        #expect(remember("k14") == [])
        #expect(remember("k15") == [ForgottenRequests(uid: 1, through: 4)])
        #expect(memory.count == 11)
    }

    @Test mutating func `A uid that uses many keys loses its own, not another one's`() {
        _ = remember("mine", uid: 2)
        for number in 1...500 { _ = remember("\(number)") }
        #expect(memory.request(use("mine", uid: 2)) != nil)
        #expect(memory.count <= 12)
        #expect(memory.request(use("500")) != nil)
        #expect(memory.request(use("492")) != nil)
    }

    @Test mutating func `What is too old is not known any more, and goes when its uid asks again`()
    {
        _ = remember("a", uptime: 0)
        _ = remember("b", uptime: 600)
        #expect(memory.request(use("a", uptime: 1_000)) != nil)
        #expect(memory.request(use("a", uptime: 1_001)) == nil)
        #expect(remember("a", uptime: 1_001) == [ForgottenRequests(uid: 1, through: 1)])
        #expect(memory.request(use("a", uptime: 2_000))?.revision == 3)
        #expect(remember("c", uptime: 2_000) == [ForgottenRequests(uid: 1, through: 2)])
        #expect(memory.request(use("a", uptime: 2_000))?.revision == 3, "its later use stays")
    }

    @Test func `Time goes on from run to run, and stands still between them`() {
        let stored = [
            request(use("a"), served: 500, revision: 1),
            request(use("b"), served: 900, revision: 2),
        ]
        let memory = RequestMemory(
            stored, window: .init(requests: 10, milliseconds: 1_000, slack: 2))
        #expect(memory.served(at: 0) == 900)
        #expect(memory.request(use("a", uptime: 600)) != nil)
        #expect(memory.request(use("a", uptime: 601)) == nil)
        #expect(memory.request(use("b", uptime: 601)) != nil)
    }

    @Test func `A time that nobody can have served is no reason to fail`() {
        var memory = RequestMemory([request(use("a"), served: .max, revision: 1)])
        for uptime in [0, 5, UInt64.max] {
            let use = use("b\(uptime)", uptime: uptime)
            _ = memory.makeRoom(for: use)
            memory.remember(request(use, served: memory.served(at: uptime), revision: uptime))
            #expect(memory.request(use)?.revision == uptime)
        }
    }

    @Test mutating func `Requests kept with one change may be forgotten one by one`() {
        for text in ["a", "b", "c"] {
            memory.remember(request(use(text), served: 0, revision: 7))
        }
        for number in 1...9 { _ = remember("\(number)") }
        revision = 20
        #expect(remember("d") == [ForgottenRequests(uid: 1, through: 7)])
        #expect(memory.request(use("a")) == nil)
        #expect(memory.request(use("c")) != nil)
    }
}
