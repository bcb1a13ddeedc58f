// Part of Usher. SPDX-License-Identifier: Apache-2.0

// libFuzzer's way in: it brings `main`, makes inputs up, and calls this with each. The environment says which part is
// fuzzed. A finding ends the process, which libFuzzer reports with the input that showed it.

import Foundation
import Synchronization

private let oracle = Mutex(target().makeOracle())

private func target() -> FuzzTarget {
    let name = ProcessInfo.processInfo.environment["USHER_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("USHER_FUZZ_TARGET names what to fuzz: \(names)")
    }
    return target
}

/// What libFuzzer calls with every input.
@c(LLVMFuzzerTestOneInput)
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    oracle.withLock { oracle in
        do throws(Finding) { try oracle.check(input) } catch { fatalError(error.description) }
    }
    return 0
}
