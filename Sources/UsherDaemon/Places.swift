// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The places that connections take, in all and by uid.
struct Places {
    private(set) var taken = 0
    private var byUID: [UInt32: Int] = [:]

    /// How many places a uid has taken.
    func taken(by uid: UInt32) -> Int {
        byUID[uid] ?? 0
    }

    mutating func take(for uid: UInt32) {
        taken += 1
        byUID[uid, default: 0] += 1
    }

    mutating func giveBack(of uid: UInt32) {
        guard let own = byUID[uid] else { return }
        taken -= 1
        byUID[uid] = own > 1 ? own - 1 : nil
    }
}
