// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherCore
import UsherWire

@testable import UsherDaemon

/// The line of changes before a store that refuses, as stores do, all that was made before a failure was heard of.
struct StoreLineTests {
    /// A store that answers later, and a peer that asks for the next change as soon as one is refused.
    private struct Scene {
        var line = StoreLine()
        /// What the store has, with the failures that were heard of when it was given.
        var given: [(owner: ChangeOwner, heardFailures: Int)] = []
        var failures = 0
        var isBroken = false
        var stored: [ChangeOwner] = []
        var refused: [ChangeOwner] = []
        var made = 0

        mutating func make(_ owner: ChangeOwner) {
            made += 1
            if line.take(.reserve(through: UInt64(made)), of: owner) {
                given.append((owner, line.failures))
            }
        }

        /// The store answers for the oldest change.
        mutating func answer(thenMake isGreedy: Bool) {
            let next = given.removeFirst()
            let isStored = !isBroken && next.heardFailures == failures
            if !isStored { failures += 1 }
            switch line.answer(isStored: isStored) {
            case .stored(let owner):
                stored.append(owner)
                if isGreedy { make(owner) }
            case .refused(let owners):
                refused += owners
                if isGreedy { for owner in owners { make(owner) } }
            case .known(let next):
                let heard = line.failures
                for (owner, _) in next {
                    line.give(owner)
                    given.append((owner, heard))
                }
            }
        }
    }

    private let owners: [ChangeOwner] = [.user(1), .user(2), .list(.popular)]

    @Test func `Changes are answered for in their order`() {
        var scene = Scene()
        for _ in 0..<100 { for owner in owners { scene.make(owner) } }
        while !scene.given.isEmpty { scene.answer(thenMake: false) }
        #expect(scene.stored == (0..<100).flatMap { _ in owners })
        #expect(scene.refused == [])
    }

    @Test func `A refusal is told to all that were made before it was heard of, in order, once`() {
        var scene = Scene()
        for owner in owners + owners { scene.make(owner) }
        scene.answer(thenMake: false)
        scene.isBroken = true
        scene.answer(thenMake: false)
        scene.isBroken = false
        #expect(scene.stored == [.user(1)])
        #expect(scene.refused == [.user(2), .list(.popular)] + owners)
        scene.make(.user(9))
        #expect(scene.given.count == 4, "waits until the store has answered for the others")
        while !scene.given.isEmpty { scene.answer(thenMake: false) }
        #expect(scene.refused.count == 5)
        #expect(scene.stored == [.user(1), .user(9)])
    }

    @Test func `However many are always in flight, the first round after a failure is stored`() {
        var scene = Scene()
        for _ in 0..<300 { for owner in owners { scene.make(owner) } }
        scene.isBroken = true
        for _ in 0..<10_000 { scene.answer(thenMake: true) }
        #expect(scene.stored == [])
        scene.isBroken = false
        // What was made before the last failure was heard of is refused still: one round at most.
        let refused = scene.refused.count
        for _ in 0..<3_000 { scene.answer(thenMake: true) }
        #expect(scene.refused.count - refused <= 900)
        #expect(scene.stored.count >= 1_200)
    }
}
