// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore

// I7: what is sent twice with one key is done once, and answered alike each time, on whatever connection and in
// whatever run. That a rename is not done twice also shows in the names: each comes once.
extension Model {
    /// A key belongs to a uid.
    struct Key: Hashable {
        let uid: UInt32
        let text: String
    }

    /// Notes an answer to a request with a key; true if it was answered before.
    func noteAnswer(
        to key: String, by uid: UInt32, _ ask: Ask, _ result: Value
    ) throws(Violation) -> Bool {
        guard ask.isAnsweredWhenDurable else { return false }
        // Of movies, the items may be gone with their generation.
        let answer = [result["state"], result["status"], result["cursor"]].map(\.canonical)
        guard let first = answers.updateValue(answer, forKey: Key(uid: uid, text: key)) else {
            try Violation.require(
                disk.synced.requests.contains { $0.key.uid == uid && $0.key.text == key },
                "I7: \(ask.method) \(key) is answered, and its key is not on disk")
            return false
        }
        try Violation.require(
            first == answer, "I7: \(ask.method) \(key) is answered \(answer), and was \(first)")
        return true
    }

    /// Whether somebody heard that a request was done.
    func isDone(_ key: String, by uid: UInt32) -> Bool { answers[Key(uid: uid, text: key)] != nil }
}
