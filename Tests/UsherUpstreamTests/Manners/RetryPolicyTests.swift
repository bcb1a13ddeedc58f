// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherUpstream

struct RetryPolicyTests {
    private let policy = RetryPolicy()
    private let failure = UpstreamError(.timeout, "")

    @Test func `The longest wait doubles up to its bound, and any shorter one may be drawn`() {
        var patient = policy
        patient.retries = 100
        let longest = (1...8).map {
            patient.delay(after: failure, failures: $0) { $0.upperBound }
        }
        #expect(longest == [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000])
        #expect(patient.delay(after: failure, failures: 3) { $0.lowerBound } == 0)
        #expect(patient.delay(after: failure, failures: 99) { $0.upperBound } == 8_000)
    }

    @Test func `There are three retries`() {
        #expect(policy.delay(after: failure, failures: 3) { $0.lowerBound } != nil)
        #expect(policy.delay(after: failure, failures: 4) { $0.lowerBound } == nil)
    }

    @Test func `What the service asked for is waited on top`() {
        let limited = UpstreamError(.rateLimited, "", retryAfterMilliseconds: 2_000)
        #expect(policy.delay(after: limited, failures: 1) { $0.lowerBound } == 2_000)
        #expect(policy.delay(after: limited, failures: 1) { $0.upperBound } == 2_500)
    }

    @Test(arguments: [
        UpstreamError.Kind.notFound, .endOfList, .unauthorized, .untrusted, .badReply,
        .refused(status: 418), .unreadable, .configuration,
    ])
    func `What will not pass is not tried again`(kind: UpstreamError.Kind) {
        let error = UpstreamError(kind, "", retryAfterMilliseconds: 1)
        #expect(policy.delay(after: error, failures: 1) { $0.lowerBound } == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("2", 2_000), ("60", 60_000), ("61", 60_000), ("3600", 60_000),
            ("99999999999999999999999", 60_000), ("-1", nil), ("", nil), ("soon", nil),
            ("1.5", nil),
            ("DATE+5", 5_000), ("DATE+900", 60_000), ("DATE-5", 0),
        ] as [(String, Int?)])
    func `Retry-After is seconds or a date, and cut to a minute`(text: String, wait: Int?) {
        let milliseconds = HTTPResponse.retryAfterMilliseconds(text, now: 1_000, limit: 60_000) {
            $0.hasPrefix("DATE") ? Int($0.dropFirst(4)).map { 1_000 + $0 } : nil
        }
        #expect(milliseconds == wait)
    }
}
