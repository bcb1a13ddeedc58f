// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// What a daemon takes up at a moment.
struct Sample: CustomStringConvertible {
    let seconds: TimeInterval
    let residentBytes: Int
    let descriptors: Int
    /// Of the store's write-ahead log.
    let logBytes: Int

    init(of daemon: RunningDaemon, at seconds: TimeInterval) throws {
        self.seconds = seconds
        residentBytes = try daemon.residentBytes
        descriptors = try daemon.descriptors.count
        let log = daemon.folder.path + "/usher.db-wal"
        let facts = try? FileManager.default.attributesOfItem(atPath: log)
        logBytes = facts?[.size] as? Int ?? 0
    }

    var description: String {
        "\(residentBytes.inMebibytes) MiB resident, \(descriptors) descriptors, log \(logBytes.inMebibytes) MiB"
    }
}

/// How figures went in one life of a daemon, by the medians of the first and the last third after a time to warm up:
/// single samples say little, since connections come and go and an allocator keeps what was freed for a while.
struct Trend: CustomStringConvertible {
    /// What an allocator may keep in addition, in bytes.
    static let toleratedGrowth = 3 << 20
    /// The part of a run that does not count.
    private static let warmUp = 0.2

    /// Growth of the memory in use, in bytes.
    let growth: Int
    let moreDescriptors: Int
    let largestLog: Int
    private let first: Int

    /// Nil if there are too few samples.
    init?(_ samples: [Sample]) {
        let counted = samples.dropFirst(Int(Double(samples.count) * Self.warmUp))
        let third = counted.count / 3
        guard third > 2 else { return nil }
        let (early, late) = (counted.prefix(third), counted.suffix(third))
        first = Self.median(early.map(\.residentBytes))
        growth = Self.median(late.map(\.residentBytes)) - first
        moreDescriptors =
            Self.median(late.map(\.descriptors)) - Self.median(early.map(\.descriptors))
        largestLog = samples.map(\.logBytes).max() ?? 0
    }

    private static func median(_ numbers: [Int]) -> Int { numbers.sorted()[numbers.count / 2] }

    var description: String {
        "\(first.inMebibytes) MiB resident in the first third, \(growth.inMebibytes) MiB more in the last;"
            + " \(moreDescriptors) more descriptors; log at most \(largestLog.inMebibytes) MiB"
    }
}

extension Int {
    fileprivate var inMebibytes: String {
        (Double(self) / Double(1 << 20)).formatted(.number.precision(.fractionLength(1)))
    }
}
