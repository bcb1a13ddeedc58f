// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The same bytes in other pieces give the same answers, whatever the inputs: those that fuzzing found worth keeping.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `A corpus of input` {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fuzzing/Corpus")

    /// What leaves nothing to compare: a watcher's connection does not end by itself, a daemon that stops does, and some
    /// answers tell the time.
    private static let leftOut = ["subscribe", "watch", "stop", "ping", "stats", "clients"]

    /// The inputs whose answers are the same twice, with these answers.
    private static func inputs(on daemon: RunningDaemon) throws -> [(
        input: [UInt8], answer: [UInt8]
    )] {
        var inputs: [[UInt8]] = []
        for folder in ["requests", "shorthand"] {
            let files = try FileManager.default.contentsOfDirectory(
                at: corpus.appending(path: folder), includingPropertiesForKeys: nil)
            inputs += try files.sorted { $0.path < $1.path }.map { try Array(Data(contentsOf: $0)) }
        }
        return try inputs.compactMap { input in
            let text = String(decoding: input, as: UTF8.self)
            if Self.leftOut.contains(where: text.contains) { return nil }
            let answer = try daemon.answer(to: input)
            return try daemon.answer(to: input) == answer ? (input, answer) : nil
        }
    }

    @Test func `gets the same answers for every cut in two, random cuts and single bytes`() throws {
        let daemon = try RunningDaemon(store: "memory")
        _ = try daemon.connect().ask("fetch")
        let inputs = try Self.inputs(on: daemon)
        #expect(inputs.count > 30)
        var random = SplitMix(seed: 1)
        var splits = 0
        for (input, answer) in inputs where input.count > 1 {
            let most = Faults.number(60, all: 2_000)
            var cuts = (1..<input.count).map { [$0] }
            if cuts.count > most {
                cuts = (0..<most).map { _ in [Int.random(in: 1..<input.count, using: &random)] }
            }
            for _ in 0..<Faults.number(4, all: 100) {
                let count = Int.random(in: 2...20, using: &random)
                let places = (0..<count).map { _ in Int.random(in: 1..<input.count, using: &random)
                }
                cuts.append(Set(places).sorted())
            }
            if input.count <= most { cuts.append(Array(1..<input.count)) }
            for cut in cuts {
                try #require(
                    try daemon.answer(to: input, cutAt: cut) == answer,
                    "\(String(decoding: input.prefix(200), as: UTF8.self)), cut at \(cut)")
            }
            splits += cuts.count
        }
        print("\(splits) splits of \(inputs.count) inputs")
        #expect(splits > 1_000)
    }

    /// Reads and writes that a kernel cuts short, which a busy one does.
    @Test(arguments: [1, 2, 7, 1_000])
    func `gets the same answers when the daemon's reads and writes are cut short`(piece: Int) throws
    {
        let plain = try RunningDaemon(store: "memory")
        let library = try preloaded("pieces", in: plain.folder)
        let short = try RunningDaemon(
            store: "memory", environment: ["LD_PRELOAD": library, "USHER_PIECE": "\(piece)"])
        for daemon in [plain, short] { _ = try daemon.connect().ask("fetch") }
        for (input, answer) in try Self.inputs(on: plain) where input.count < 4_000 {
            let other = try short.answer(to: input)
            #expect(Self.withoutNumbers(other) == Self.withoutNumbers(answer))
        }
        // Pushes too, and lists in chunks.
        let workload = Workload()
        try workload.connect(to: short)
        for _ in 0..<10 { try workload.round() }
        try workload.history.audit(short)
        try workload.compare(with: short)
        #expect(workload.history.faults == [])
    }

    /// Without what is another number in another daemon.
    private static func withoutNumbers(_ answer: [UInt8]) -> String {
        String(decoding: answer, as: UTF8.self).replacing(/[0-9a-f]{16}:\d+/, with: "CURSOR")
            .replacing(/\d+/, with: "N")
    }
}

extension RunningDaemon {
    /// Sends bytes cut at these places, each piece after the daemon has read the one before, and gives all that comes.
    fileprivate func answer(to input: [UInt8], cutAt cuts: [Int] = []) throws -> [UInt8] {
        let client = try connect()
        var start = 0
        for end in cuts + [input.count] {
            try client.send(bytes: input[start..<end])
            try client.waitUntilRead()
            start = end
        }
        client.finishSending()
        return try client.allBytes()
    }
}
