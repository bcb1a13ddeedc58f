// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UsherDaemon

@Suite(.timeLimit(.minutes(5))) struct `Statistics` {
    @Test func `have a word on every figure, and a figure for every word`() throws {
        let client = try RunningDaemon(store: "memory").connect()
        let schema = try client.ask("rpc.discover")["result", "components", "schemas", "Stats"]
        let stats = try client.ask("stats")["result"]
        compare(stats, with: schema, at: "stats")
    }

    private func compare(_ value: JSON, with schema: JSON, at path: String) {
        guard case .object(let properties) = schema["properties"] else {
            #expect(schema["description"].string?.isEmpty == false, "\(path)")
            return
        }
        guard case .object(let members) = value else {
            Issue.record("\(path) is no object")
            return
        }
        #expect(Set(members.keys) == Set(properties.keys), "\(path)")
        #expect(Set(schema["required"].array.map(\.string)) == Set(properties.keys), "\(path)")
        for (name, member) in members {
            compare(member, with: properties[name] ?? .null, at: "\(path).\(name)")
        }
    }

    @Test func `tell the loop's longest turn since they were last asked`() throws {
        let client = try RunningDaemon(store: "memory").connect()
        for _ in 0..<3 {
            // The turns between two questions are those of the questions alone.
            #expect(try client.ask("stats")["result", "loop_lag_ms"].integer ?? -1 >= 0)
        }
    }
}

@Suite struct `Evictions` {
    @Test func `are remembered for as many clients as there is room for`() {
        var evictions = UsherDaemon.Evictions()
        let last = UsherDaemon.Evictions.remembered + 9
        for index in 0...last {
            evictions.note(
                Eviction(reason: .stalled, uptime: UInt64(index)), of: "c\(index)", 1)
        }
        #expect(evictions.counts == [.stalled: last + 1])
        #expect(evictions.take(of: "c9", 1) == nil)
        #expect(evictions.take(of: "c10", 1)?.uptime == 10)
        #expect(evictions.take(of: "c10", 1) == nil)
        #expect(evictions.take(of: "c\(last)", 2) == nil)
        #expect(evictions.take(of: "c\(last)", 1)?.uptime == UInt64(last))
    }

    @Test func `of one client are told by the last one`() {
        var evictions = UsherDaemon.Evictions()
        evictions.note(Eviction(reason: .stalled, uptime: 1), of: "c", 1)
        evictions.note(Eviction(reason: .partialLine, uptime: 2), of: "c", 1)
        evictions.note(Eviction(reason: .stalled, uptime: 3), of: nil, 1)
        #expect(evictions.take(of: nil, 1) == nil)
        #expect(evictions.take(of: "c", 1) == Eviction(reason: .partialLine, uptime: 2))
        #expect(evictions.take(of: "c", 1) == nil)
        #expect(evictions.counts == [.stalled: 2, .partialLine: 1])
    }
}

@Suite struct `Delays before coming back` {
    @Test func `are all different before one comes again`() {
        var random = SystemRandomNumberGenerator()
        var delays = ReconnectDelays(using: &random)
        let range = ReconnectDelays.milliseconds
        let all = (0..<range.count).map { _ in delays.next() }
        #expect(Set(all) == Set(range))
        #expect(delays.next() == all[0])
        // Few peers are spread as well as many.
        let few = all[..<10].sorted()
        #expect(zip(few, few.dropFirst()).allSatisfy { $1 - $0 > 50 })
    }
}
