// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherJSON
import UsherWire

/// A line of the daemon, parsed strictly.
enum Value: Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number
    case string(String)
    case array([Value])
    case object([Member])

    struct Member: Equatable {
        let name: String
        let value: Value
    }

    /// A member of an object; null if there is none, as for a chain of them.
    subscript(name: String) -> Value {
        guard case .object(let members) = self else { return .null }
        return members.first { $0.name == name }?.value ?? .null
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    var boolean: Bool? {
        guard case .boolean(let flag) = self else { return nil }
        return flag
    }

    var elements: [Value] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The value as text that is the same for equal values.
    var canonical: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .number: "number"
        case .string(let text): "\"\(text)\""
        case .array(let elements): "[\(elements.map(\.canonical).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\($0.name):\($0.value.canonical)" }.joined(separator: ","))}"
        }
    }
}

/// Makes values of lines.
final class ValueParser {
    private let parser = JSONParser(capacity: Limits.lineBytes, depth: Limits.jsonDepth)

    /// Parses a line; nil if it is not strict JSON.
    func parse(_ line: [UInt8]) -> Value? {
        guard (try? parser.parse(line.span)) != nil else { return nil }
        return value(parser.root)
    }

    private func value(_ node: JSONNode) -> Value {
        switch parser.kind(node) {
        case .null: return .null
        case .boolean: return .boolean(parser.boolean(node))
        case .integer: return .integer(parser.integer(node))
        case .number: return .number
        case .string: return .string(parser.string(node))
        case .array:
            var elements: [Value] = []
            var next = parser.firstChild(node)
            while let element = next {
                elements.append(value(element))
                next = parser.sibling(after: element, in: node)
            }
            return .array(elements)
        case .object:
            var members: [Value.Member] = []
            var next = parser.firstChild(node)
            while let key = next {
                let member = parser.value(ofKey: key)
                members.append(.init(name: parser.string(key), value: value(member)))
                next = parser.sibling(after: member, in: node)
            }
            return .object(members)
        }
    }
}
