// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherUpstream

struct `Remembered answers` {
    private func answer(_ tag: String?, bytes: Int = 10) -> HTTPResponse {
        var response = HTTPResponse(status: 200, body: Array(repeating: 0x20, count: bytes))
        response.validators = tag.map { .init(entityTag: $0) }
        return response
    }

    private func tag(_ key: String, _ answers: inout RememberedAnswers) -> String? {
        answers.find(key)?.response.validators?.entityTag
    }

    @Test func `are replaced by newer ones and never by older ones, in whatever order they come`() {
        var answers = RememberedAnswers(limit: 4, bytes: 100)
        answers.remember(answer("b"), for: "k", attempt: 2)
        answers.remember(answer("a"), for: "k", attempt: 1)
        #expect(tag("k", &answers) == "b")
        answers.remember(answer("c"), for: "k", attempt: 3)
        #expect(tag("k", &answers) == "c")
        #expect(answers.bytes == 10)
    }

    @Test func `go when a newer one cannot be kept`() {
        var answers = RememberedAnswers(limit: 4, bytes: 100)
        answers.remember(answer("a"), for: "k", attempt: 1)
        answers.remember(answer(nil), for: "k", attempt: 2)
        #expect(tag("k", &answers) == nil)
        var forbidden = answer("b")
        forbidden.mustNotBeStored = true
        answers.remember(forbidden, for: "k", attempt: 3)
        answers.remember(answer("c", bytes: 101), for: "l", attempt: 4)
        #expect(answers.count == 0 && answers.bytes == 0)
    }

    @Test func `are bounded by number and bytes: the least used makes room`() {
        var answers = RememberedAnswers(limit: 3, bytes: 100)
        for (index, key) in ["a", "b", "c"].enumerated() {
            answers.remember(answer(key), for: key, attempt: UInt64(index))
        }
        _ = answers.find("a")
        answers.remember(answer("d"), for: "d", attempt: 9)
        #expect(["a", "b", "c", "d"].map { tag($0, &answers) } == ["a", nil, "c", "d"])
        answers.remember(answer("e", bytes: 95), for: "e", attempt: 10)
        #expect(answers.count == 1 && answers.bytes == 95)
        for number in 0..<1_000 {
            answers.remember(answer("x", bytes: number % 60), for: "\(number)", attempt: 11)
            #expect(answers.count <= 3 && answers.bytes <= 100)
        }
    }
}
