// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import UsherJSON
import UsherWire

/// Compares the daemon's JSON parser with Foundation's and with the grammar.
struct SyntaxOracle: Oracle {
    private let parser = JSONParser(capacity: Limits.lineBytes, depth: Limits.jsonDepth)

    /// Faults that Foundation lets pass: all that we may refuse and it may take.
    private static let tolerated: Set<ReferenceJSON.Rule> = [
        .byteOrderMark, .duplicateKey, .numberRange, .tooDeep, .trailingComma,
    ]

    func check(_ input: [UInt8]) throws(Finding) {
        guard input.count <= Limits.lineBytes else { return }
        let broken = ReferenceJSON(input, depthLimit: Limits.jsonDepth).broken
        let refusal = refusal(of: input)
        let foundation = try? JSONSerialization.jsonObject(
            with: Data(input), options: .fragmentsAllowed)
        let rules = broken.map(\.rawValue).sorted().joined(separator: ", ")

        if let refusal {
            try require(
                isRight(refusal, about: input, broken),
                "refused as \(refusal), though what is wrong is: [\(rules)]: \(shown(input))")
        } else {
            try require(
                broken.isSubset(of: [.duplicateKey]),
                "accepted in spite of [\(rules)]: \(shown(input))")
            let hasTwice = parser.duplicateKey(in: parser.root) != nil
            try require(
                hasTwice == broken.contains(.duplicateKey),
                "duplicate key \(hasTwice ? "found" : "not found"): \(shown(input))")
            try require(foundation != nil, "Foundation refuses what we accept: \(shown(input))")
        }
        guard let foundation else { return }
        try require(
            refusal == nil || mayBeLenient(broken, input),
            "Foundation accepts in spite of [\(rules)]: \(shown(input))")
        if refusal == nil, !broken.contains(.duplicateKey) {
            try require(
                isSame(parser.root, foundation), "Foundation reads another value: \(shown(input))")
        }
    }

    private func refusal(of input: [UInt8]) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            try parser.parse(input.span)
            return nil
        } catch {
            return error
        }
    }

    private func isRight(
        _ refusal: JSONSyntaxError, about input: [UInt8], _ broken: Set<ReferenceJSON.Rule>
    ) -> Bool {
        switch refusal {
        case .malformed:
            !broken.isDisjoint(with: [.grammar, .trailingComma, .loneSurrogate, .byteOrderMark])
        case .invalidUTF8(let offset):
            broken.contains(.invalidUTF8)
                && String(validating: input[..<offset], as: UTF8.self) != nil
        case .nulByte(let offset): input.firstIndex(of: 0) == offset
        // Brackets are counted though the grammar be broken before them.
        case .tooDeep: !broken.isDisjoint(with: [.tooDeep, .grammar])
        case .badNumber: !broken.isDisjoint(with: [.numberRange, .grammar])
        }
    }

    /// Whether Foundation may take a text; it reads UTF-16 and UTF-32 too, which the protocol does not.
    private func mayBeLenient(_ broken: Set<ReferenceJSON.Rule>, _ input: [UInt8]) -> Bool {
        broken.isSubset(of: Self.tolerated) || input.contains(0)
            || input.starts(with: [0xFE, 0xFF]) || input.starts(with: [0xFF, 0xFE])
    }

    private func isSame(_ node: JSONNode, _ value: Any) -> Bool {
        switch parser.kind(node) {
        case .null: return value is NSNull
        case .boolean: return (value as? NSNumber)?.boolValue == parser.boolean(node)
        case .integer: return (value as? NSNumber)?.int64Value == parser.integer(node)
        case .number: return value is NSNumber
        case .string:
            guard let text = value as? String else { return false }
            return isFoundations(text, of: parser.string(node))
        case .array: return isSame(array: node, value)
        case .object: return isSame(object: node, value)
        }
    }

    private func isSame(array node: JSONNode, _ value: Any) -> Bool {
        guard let values = value as? [Any], values.count == parser.count(ofArray: node) else {
            return false
        }
        var element = parser.firstChild(node)
        for value in values {
            guard let current = element, isSame(current, value) else { return false }
            element = parser.sibling(after: current, in: node)
        }
        return true
    }

    private func isSame(object node: JSONNode, _ value: Any) -> Bool {
        guard let members = value as? [String: Any] else { return false }
        var next = parser.firstChild(node)
        var keys: Set<String> = []
        while let key = next {
            let value = parser.value(ofKey: key)
            // Foundation keeps one of two keys that are the same text in other bytes.
            let isFirst = keys.insert(parser.string(key)).inserted
            guard let member = members[parser.string(key)] else { return false }
            if isFirst, !isSame(value, member), members.count == keys.count { return false }
            next = parser.sibling(after: value, in: node)
        }
        return members.count == keys.count
    }
}

/// Whether Foundation reads this for a text; it drops byte order marks at the start of a string and behind escapes.
func isFoundations(_ read: String, of text: String) -> Bool {
    let mark: Unicode.Scalar = "\u{FEFF}"
    return read.unicodeScalars.filter { $0 != mark }
        .elementsEqual(text.unicodeScalars.filter { $0 != mark })
}
