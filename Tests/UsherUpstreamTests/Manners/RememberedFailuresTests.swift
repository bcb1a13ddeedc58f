// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherUpstream

struct `Remembered failures` {
    private let missing = UpstreamError(.notFound, "no such user")

    @Test func `last for their time`() {
        var failures = RememberedFailures(limit: 4, milliseconds: 100)
        failures.remember(missing, for: "/7", at: 1_000)
        #expect(failures.find("/7", at: 1_099) == missing)
        #expect(failures.find("/7", at: 1_100) == nil)
        #expect(failures.find("/8", at: 1_000) == nil)
    }

    @Test(arguments: [
        UpstreamError.Kind.unauthorized, .rateLimited, .resting, .timeout, .unreachable, .untrusted,
        .badReply, .refused(status: 418), .server(status: 500), .unreadable, .configuration,
    ])
    func `are none of those that say nothing of the thing`(kind: UpstreamError.Kind) {
        var failures = RememberedFailures(limit: 4, milliseconds: 100)
        failures.remember(UpstreamError(kind, ""), for: "/7", at: 0)
        #expect(failures.find("/7", at: 0) == nil)
        failures.remember(UpstreamError(.endOfList, ""), for: "/7", at: 0)
        #expect(failures.find("/7", at: 0)?.kind == .endOfList)
    }

    @Test func `are bounded in number: the oldest makes room`() {
        var failures = RememberedFailures(limit: 3, milliseconds: 100)
        for number in 0..<1_000 { failures.remember(missing, for: "/\(number)", at: 0) }
        #expect(failures.count == 3)
        #expect((0..<1_000).filter { failures.find("/\($0)", at: 0) != nil } == [997, 998, 999])
    }

    @Test func `that are over take no room, and one that comes again lasts anew`() {
        var failures = RememberedFailures(limit: 3, milliseconds: 100)
        for number in 0..<3 { failures.remember(missing, for: "/\(number)", at: 0) }
        failures.remember(missing, for: "/0", at: 50)
        failures.remember(missing, for: "/3", at: 120)
        #expect(failures.count == 2)
        #expect(failures.find("/0", at: 149) == missing)
    }

    @Test func `are forgotten when the thing is there, one by one and by path`() {
        var failures = RememberedFailures(limit: 9, milliseconds: 100)
        for key in ["/a?page=4", "/a?page=5", "/ab?page=4"] {
            failures.remember(missing, for: key, at: 0)
        }
        failures.forget("/a?page=5")
        #expect(failures.count == 2)
        failures.forget(beginningWith: "/a?")
        #expect(failures.find("/a?page=4", at: 0) == nil)
        #expect(failures.find("/ab?page=4", at: 0) == missing)
        failures.forget("/unknown")
        #expect(failures.count == 1)
    }
}
