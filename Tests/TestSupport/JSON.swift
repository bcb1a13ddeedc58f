// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A JSON value to look into; what is not there is `null`.
package enum JSON: Equatable, Sendable, CustomStringConvertible {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    package init(parsing text: String) throws {
        let data = Data(text.utf8)
        let value = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        self.init(value)
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let elements as [Any]: self = .array(elements.map(JSON.init))
        case let members as [String: Any]: self = .object(members.mapValues(JSON.init))
        case let number as NSNumber:
            // Foundation gives true and false as numbers of this type.
            let isBoolean = unsafe String(cString: number.objCType) == "c"
            self = isBoolean ? .boolean(number.boolValue) : .number(number.doubleValue)
        default: self = .null
        }
    }

    package subscript(_ names: String...) -> JSON {
        names.reduce(self) { value, name in
            guard case .object(let members) = value else { return .null }
            return members[name] ?? .null
        }
    }

    package subscript(index: Int) -> JSON {
        guard case .array(let elements) = self, elements.indices.contains(index) else {
            return .null
        }
        return elements[index]
    }

    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var integer: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(exactly: number)
    }

    package var boolean: Bool? {
        guard case .boolean(let flag) = self else { return nil }
        return flag
    }

    package var array: [JSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The reason of an error reply.
    package var reason: String? { self["error", "data", "reason"].string }

    package var description: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .string(let text): "\"\(text)\""
        case .array(let elements): "\(elements)"
        case .object(let members): "\(members)"
        }
    }
}
