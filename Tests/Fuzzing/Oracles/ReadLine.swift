// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

@testable import UsherDaemon

/// What the framer made of a stretch of a stream.
enum Framed: Equatable {
    case line([UInt8])
    /// What the end of the stream ended.
    case rest([UInt8])
    case tooLong

    var bytes: [UInt8] {
        switch self {
        case .line(let bytes), .rest(let bytes): bytes
        case .tooLong: []
        }
    }

    /// What a stream is made of, by the protocol's words and at leisure.
    static func reference(_ stream: [UInt8], limit: Int) -> [Framed] {
        var lines = stream.split(separator: 0x0A, omittingEmptySubsequences: false)
        let rest = lines.removeLast()
        var items = lines.map { line -> Framed in
            if line.count + 1 > limit { return .tooLong }
            return .line(Array(line.last == 0x0D ? line.dropLast() : line))
        }
        if rest.count >= limit {
            items.append(.tooLong)
        } else if !rest.isEmpty {
            items.append(.rest(Array(rest)))
        }
        return items
    }
}

/// A line of a connection and what it was bound to.
struct ReadLine: Equatable {
    enum Form { case nothing, one, several, batch, foreign }

    let text: [UInt8]
    let number: Int
    let form: Form
    let requests: [ReadRequest]

    /// The line without the byte order mark that a connection may begin with.
    var unmarked: [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return number == 1 && text.starts(with: mark) ? Array(text.dropFirst(3)) : text
    }

    init(text: [UInt8], number: Int, _ bound: RequestBinder.Bound) {
        self.text = text
        self.number = number
        switch bound {
        case .nothing: (form, requests) = (.nothing, [])
        case .one(let request): (form, requests) = (.one, [ReadRequest(request)])
        case .several(let all): (form, requests) = (.several, all.map(ReadRequest.init))
        case .batch(let all): (form, requests) = (.batch, all.map(ReadRequest.init))
        case .foreign(let request): (form, requests) = (.foreign, [ReadRequest(request)])
        }
    }
}

/// A request in a form that can be compared.
struct ReadRequest: Equatable {
    let id: RequestID
    let outcome: Result<Call, WireError>
    let isTyped: Bool

    init(_ request: Request) {
        id = request.id
        outcome = request.outcome.map(\.call)
        isTyped = request.isTyped
    }

    var isRight: Bool {
        guard case .success = outcome else { return false }
        return true
    }
}

/// A generator that gives the same for the same bytes, so that an input decides how it is cut.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: [UInt8]) {
        // FNV-1a.
        state = seed.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension [UInt8] {
    /// The bytes in pieces of up to so many bytes, more if there are very many.
    func cut(upTo limit: Int, _ generator: inout SplitMix) -> [[UInt8]] {
        let limit = Swift.max(limit, count / 256)
        var pieces: [[UInt8]] = []
        var start = 0
        while start < count {
            let end = Swift.min(count, start + Int.random(in: 1...limit, using: &generator))
            pieces.append(Array(self[start..<end]))
            start = end
        }
        return pieces
    }
}
