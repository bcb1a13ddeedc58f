// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The only source of chance in a walk: numbers that a seed gives again (SplitMix64).
final class Chance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    func percent(_ share: Int) -> Bool { below(100) < share }

    func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
