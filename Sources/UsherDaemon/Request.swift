// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// What a peer calls a request, in its own bytes, which come back as they are.
enum RequestID: Equatable {
    /// A notification: executed, never answered.
    case absent
    /// The request had an id that could not be read; its answer says `null`.
    case unreadable
    /// The JSON of the id: a string with its quotes, or an integer.
    case json(ArraySlice<UInt8>)

    /// The id with bytes of its own, to be kept beyond the line it came in.
    var kept: RequestID {
        guard case .json(let bytes) = self else { return self }
        return .json(ArraySlice(Array(bytes)))
    }
}

/// One request, read and validated or found wrong.
struct Request {
    let id: RequestID
    let outcome: Result<ValidCall, WireError>
    /// Whether it was typed in shorthand, and so waits for what was typed before it.
    var isTyped = false
    /// Where the answer goes if the request came in a batch.
    var place: Batch.Place?

    /// A request that asks for nothing that is wrong.
    struct ValidCall {
        let entry: MethodEntry
        let call: Call
    }
}

/// The answers of a batch, gathered until all are there.
final class Batch {
    /// Where in its batch a request stands.
    struct Place {
        let batch: Batch
        let index: Int
    }

    private var answers: [[UInt8]?]
    private var missing: Int
    private var usedBytes = 0
    /// The ids of its requests that were started; none of them has reached the peer before all have.
    var ids: [RequestID] = []
    /// Whether a request of it waits for a service, which may take long.
    var waitsForService = false

    /// Bytes that an error takes at most when its text is cut to the summary of its reason.
    private static let errorBytes = 512

    init(count: Int) {
        answers = Array(repeating: nil, count: count)
        missing = count
    }

    /// How many bytes the next answer must stay below, so that all fit one line, the last at least as errors.
    var budget: Int { Limits.lineBytes - 2 - usedBytes - (missing - 1) * Self.errorBytes }

    /// Takes an answer, empty for a notification; gives the batch's line once it was the last one, nil before.
    ///
    /// A batch of notifications alone has no line: it is empty.
    func answer(_ place: Place, _ json: [UInt8]) -> [UInt8]? {
        answers[place.index] = json
        missing -= 1
        usedBytes += json.count + 1
        guard missing == 0 else { return nil }
        var line: [UInt8] = []
        for answer in answers.compactMap({ $0 }) where !answer.isEmpty {
            line.append(line.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            line += answer
        }
        if !line.isEmpty { line.append(UInt8(ascii: "]")) }
        return line
    }
}
