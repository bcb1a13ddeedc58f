// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherJSON

/// A JSON value as it was read, so that whole documents can be compared.
///
/// Texts are kept as scalars, since Strings compare canonical equivalents as the same.
indirect enum Document: Equatable {
    case object([Member])
    case array([Document])
    case string([Unicode.Scalar])
    case integer(Int64)
    /// A number that is no 64-bit integer; its value is not read.
    case number
    case boolean(Bool)
    case null

    struct Member: Equatable {
        let key: [Unicode.Scalar]
        let value: Document

        init(_ key: String, _ value: Document) {
            self.key = Array(key.unicodeScalars)
            self.value = value
        }
    }

    static func text(_ text: String) -> Document { .string(Array(text.unicodeScalars)) }
}

extension JSONParser {
    /// A parser as the daemon has it.
    static func ofLines() -> JSONParser { JSONParser(capacity: 65_536, depth: 32) }

    /// Parses a line and gives back the whole of it.
    func document(_ line: [UInt8]) throws(JSONSyntaxError) -> Document {
        try parse(line.span)
        return document(root)
    }

    /// What a line is refused with; nil if it is not.
    func refusal(of line: [UInt8]) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            try parse(line.span)
            return nil
        } catch {
            return error
        }
    }

    /// The place in a line of a key that an object has twice.
    func duplicate(in line: String) throws(JSONSyntaxError) -> Int? {
        try parse(Array(line.utf8).span)
        return duplicateKey(in: root).map { offset($0) }
    }

    private func document(_ node: JSONNode) -> Document {
        switch kind(node) {
        case .object:
            var members: [Document.Member] = []
            var next = firstChild(node)
            while let key = next {
                let value = value(ofKey: key)
                members.append(Document.Member(string(key), document(value)))
                next = sibling(after: value, in: node)
            }
            return .object(members)
        case .array:
            var elements: [Document] = []
            var next = firstChild(node)
            while let element = next {
                elements.append(document(element))
                next = sibling(after: element, in: node)
            }
            return .array(elements)
        case .string: return .text(string(node))
        case .integer: return .integer(integer(node))
        case .number: return .number
        case .boolean: return .boolean(boolean(node))
        case .null: return .null
        }
    }
}

/// Random numbers that a seed gives again (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
