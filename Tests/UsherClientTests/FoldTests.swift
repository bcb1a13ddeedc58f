// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

@testable import UsherClient

@Suite(.timeLimit(.minutes(5)))
struct FoldTests {
    /// Whatever a daemon does wrong, what the client shows in the end is what the daemon has.
    @Test func `The streams equal the model after any faults`() async throws {
        var faults: [ModelDaemon.Fault] = []
        for seed in UInt64(1)...20 { faults += try await faultsUntilEqual(seed: seed) }
        for fault in ModelDaemon.Fault.allCases {
            #expect(faults.contains(fault), "\(fault) never happened")
        }
    }

    private func faultsUntilEqual(seed: UInt64) async throws -> [ModelDaemon.Fault] {
        var random = SplitMix(state: seed)
        let server = try FakeServer()
        let daemon = ModelDaemon(server)
        let client = UsherClient(socket: server.path, options: .quick)
        let serving = Task { try await daemon.serve() }
        let pages = Recorder<MoviePage>()
        let observations = [
            client.user.observe { _ in }, client.movies.observe { _ in },
            client.pages().observe { pages.add($0) },
        ]
        for step in 0..<60 {
            let fault = ModelDaemon.Fault.allCases.randomElement(using: &random) ?? .none
            switch UInt64.random(in: 0..<8, using: &random) {
            case 0: daemon.refresh(fault)
            case 1...3: daemon.rename(to: "Ada \(step)", fault)
            default: daemon.append(Int.random(in: 0...5, using: &random), fault)
            }
            if Bool.random(using: &random) { _ = try? await client.ping() }
        }
        // Nothing goes wrong any more, so that a change comes through.
        daemon.append(1, .none)
        daemon.rename(to: "The last", .none)
        _ = await client.user.first { $0.user?.name == "The last" }
        let last = daemon.ids.last
        let list = await client.movies.first { $0.movies.last?.id == last }
        #expect(list?.movies.map(\.id) == daemon.ids, "seed \(seed)")
        // A page is sent right after the list has changed.
        _ = try await pages.until { $0.movies.last?.id == last }
        #expect(fold(pages.all) == daemon.ids, "seed \(seed)")
        for observation in observations { observation.cancel() }
        client.close()
        server.stop()
        try await serving.value
        return daemon.faults
    }

    /// What a user of the pages has put together.
    private func fold(_ pages: [MoviePage]) -> [Int64] {
        var ids: [Int64] = []
        for page in pages {
            if page.startsOver { ids = [] }
            guard page.offset == ids.count else { return [] }
            ids += page.movies.map(\.id)
        }
        return ids
    }
}

/// A generator that a seed repeats.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
