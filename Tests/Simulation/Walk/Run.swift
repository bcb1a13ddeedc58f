// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The walks of some seeds, one after another, in this process.
struct Run {
    /// A walk in so many is walked twice, and has to be the same both times.
    static let repeated: UInt64 = 50

    var tally = Tally()

    /// Walks a seed; gives its fingerprint.
    @discardableResult mutating func walk(_ seed: UInt64, isShown: Bool = false) throws -> UInt64 {
        let trace = Trace(isShown: isShown)
        try World(seed: seed, trace: trace).walk()
        for (fault, count) in trace.tally.counts { tally.add(count, of: fault) }
        return trace.fingerprint
    }

    /// Walks a seed, sometimes twice.
    mutating func check(_ seed: UInt64) throws {
        let fingerprint = try walk(seed)
        guard seed % Self.repeated == 0 else { return }
        var again = Run()
        guard try again.walk(seed) == fingerprint else {
            throw Violation("the same seed walked another way: something is not the seed's doing")
        }
    }
}
