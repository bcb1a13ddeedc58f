// Part of Usher. SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import CUsherMalloc
#endif

/// How often each figure is taken; the median counts.
///
/// Many short runs rather than a few long ones: most of them fit between two interruptions by
/// whatever else the machine does.
let runs = 51

/// Nanoseconds for each of so many operations, which the body does in one go.
func nanoseconds(each count: Int, _ body: () -> Void) -> Double {
    median { _ in
        let beginning = ContinuousClock.now
        body()
        return nanoseconds(since: beginning) / Double(count)
    }
}

/// The same for what has to wait, on the actor of the caller.
func nanoseconds(
    each count: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void
) async -> Double {
    var figures: [Double] = []
    for _ in 0..<runs {
        let beginning = ContinuousClock.now
        await body()
        figures.append(nanoseconds(since: beginning) / Double(count))
    }
    return median(of: figures)
}

/// Bytes on the heap for each of so many things, which are kept until they are counted.
func bytes<Thing>(each count: Int, _ make: () -> Thing) -> Double? {
    guard let before = allocatedBytes() else { return nil }
    var things: [Thing] = []
    things.reserveCapacity(count)
    let empty = allocatedBytes() ?? before
    for _ in 0..<count { things.append(make()) }
    let full = allocatedBytes() ?? before
    return withExtendedLifetime(things) { Double(full - empty) / Double(count) }
}

func median(_ figure: (Int) -> Double) -> Double {
    median(of: (0..<runs).map(figure))
}

func median(of figures: [Double]) -> Double {
    figures.sorted()[figures.count / 2]
}

extension [Double] {
    /// The figure that so many in a hundred do not pass.
    func percentile(_ percent: Int) -> Double {
        sorted()[Swift.min(count - 1, count * percent / 100)]
    }
}

func nanoseconds(since beginning: ContinuousClock.Instant) -> Double {
    beginning.duration(to: .now) / .nanoseconds(1)
}

/// What malloc has given out and not got back; nil where it does not tell.
private func allocatedBytes() -> Int? {
    #if canImport(Glibc)
    let information = mallinfo2()
    return Int(information.uordblks + information.hblkhd)
    #else
    return nil
    #endif
}
