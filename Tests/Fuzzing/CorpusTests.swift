// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The inputs that are kept: those that the protocol's rules suggest, and each that once showed a fault.
@Suite(.timeLimit(.minutes(5)))
struct CorpusTests {
    private static func inputs(_ target: FuzzTarget) throws -> [URL] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Corpus/\(target.rawValue)")
        return try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
    }

    @Test(arguments: FuzzTarget.allCases)
    func `Every input of the corpus is handled as its oracle says`(target: FuzzTarget) throws {
        let inputs = try Self.inputs(target)
        #expect(inputs.count >= 5)
        let oracle = target.makeOracle()
        for input in inputs {
            do {
                try oracle.check(Array(Data(contentsOf: input)))
            } catch {
                Issue.record("\(input.lastPathComponent): \(error)")
            }
        }
    }

    /// Longer inputs are cut at no place; that would take long.
    private static let bytesCut = 4_096
    private static let cuts = 16

    @Test(arguments: FuzzTarget.allCases)
    func `A short input of the corpus that is cut anywhere is handled too`(target: FuzzTarget)
        throws
    {
        let oracle = target.makeOracle()
        for input in try Self.inputs(target) {
            let bytes = try Array(Data(contentsOf: input))
            guard bytes.count <= Self.bytesCut else { continue }
            let step = max(1, bytes.count / Self.cuts)
            for length in stride(from: 0, to: bytes.count, by: step) {
                try oracle.check(Array(bytes[..<length]))
            }
        }
    }
}
