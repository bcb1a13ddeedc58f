// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The simulation: `usher-simulation SEEDS` walks so many seeds on all processors, `usher-simulation --seed N` one of
// them, and shows it.

import Foundation

guard ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil else {
    print(
        "set SWIFT_DETERMINISTIC_HASHING=1: walks have to be the same each time (make simulate does)"
    )
    exit(EX_USAGE)
}
let words = CommandLine.arguments.dropFirst()
switch (words.first, words.dropFirst().compactMap { UInt64($0) }) {
case ("--seed", let numbers) where numbers.count == 1: exit(showOne(numbers[0]))
case ("--part", let numbers) where numbers.count == 3:
    exit(walkPart(first: numbers[0], end: numbers[1], stride: numbers[2]))
case (let count?, []):
    guard let seeds = UInt64(count), seeds > 0 else { fallthrough }
    exit(Supervisor(seeds: seeds).run())
default:
    print("usage: usher-simulation SEEDS | --seed N")
    exit(EX_USAGE)
}
