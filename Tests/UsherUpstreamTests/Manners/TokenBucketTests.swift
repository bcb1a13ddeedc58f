// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherUpstream

struct `A token bucket` {
    /// When each of some tries may be made that are all wanted at one moment.
    private func moments(_ count: Int, from bucket: inout TokenBucket, at now: UInt64) -> [UInt64] {
        (0..<count).map { _ in
            let wait = bucket.wait(at: now)
            bucket.take(at: now)
            return now + wait
        }
    }

    @Test func `gives its burst at once, then one after the other at the rate`() {
        var bucket = TokenBucket(rate: 10, burst: 3)
        #expect(moments(6, from: &bucket, at: 1_000) == [1_000, 1_000, 1_000, 1_100, 1_200, 1_300])
    }

    @Test func `is full again after a time without tries, and never fuller`() {
        var bucket = TokenBucket(rate: 10, burst: 3)
        _ = moments(3, from: &bucket, at: 0)
        #expect(moments(2, from: &bucket, at: 150) == [150, 200])
        #expect(moments(4, from: &bucket, at: 90_000) == [90_000, 90_000, 90_000, 90_100])
    }

    @Test(arguments: [1, 3, 7, 20, 333, 10_000]) func `never lets more through than it may`(
        rate: Int
    ) {
        let burst = 5
        var bucket = TokenBucket(rate: rate, burst: burst)
        var now: UInt64 = 0
        var made: [UInt64] = []
        // One that asks as soon as it may, for a long time.
        for _ in 0..<500 {
            now += bucket.wait(at: now)
            bucket.take(at: now)
            made.append(now)
        }
        for (index, start) in made.enumerated() {
            let withinASecond = made[index...].prefix { $0 < start + 1_000 }.count
            #expect(withinASecond <= rate + burst)
        }
    }

    @Test func `gives nothing during a pause, and after it no burst`() {
        var bucket = TokenBucket(rate: 10, burst: 3)
        bucket.pause(until: 5_000)
        bucket.pause(until: 4_000)
        #expect(bucket.pausedUntil == 5_000)
        #expect(moments(4, from: &bucket, at: 1_000) == [5_000, 5_100, 5_200, 5_300])
    }

    @Test(arguments: [(0, 0), (-1, -1), (Int.max, 1), (1, 10_000)]) func `of any size works`(
        rate: Int, burst: Int
    ) {
        var bucket = TokenBucket(rate: rate, burst: burst)
        #expect(moments(1, from: &bucket, at: 7) == [7])
    }
}
