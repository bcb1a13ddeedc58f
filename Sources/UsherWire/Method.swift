// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// The protocol's methods.
package enum Method: String, Sendable, CaseIterable {
    case hello
    case help
    case discover = "rpc.discover"
    case ping
    case stats
    case clients
    case userGet = "user.get"
    case userFetch = "user.fetch"
    case userRename = "user.rename"
    case moviesGet = "movies.get"
    case moviesFetch = "movies.fetch"
    case moviesRefresh = "movies.refresh"
    case subscribe
    case unsubscribe
    case sync
    case engineReload = "engine.reload"
    case engineStop = "engine.stop"
}

/// One row of the method table, from which dispatch, validation, roles, shorthand, help and discovery all come.
package final class MethodEntry: Sendable {
    package let method: Method
    package let summary: String
    /// The least role that may call it; some methods ask for more, depending on whom they touch.
    package let role: Role
    package let parameters: [Parameter]
    /// The name of the result's schema in the OpenRPC document.
    package let result: String
    /// The errors that the method answers with, besides those of any request.
    package let errors: [ErrorReason]
    package let shorthand: Shorthand?
    /// Makes the call of arguments that fit ``parameters``.
    package let bind: @Sendable (Arguments) throws(WireError) -> Call

    /// A short word for people, and the parameter that the words behind it fill.
    package struct Shorthand: Sendable {
        package let word: String
        package let operand: Operand?

        package enum Operand: Sendable {
            /// The rest of the line is this parameter's value.
            case rest(String)
            /// Each word is this parameter's value in a call of its own.
            case each(String)
        }
    }

    init(
        _ method: Method, _ summary: String, role: Role = .read, _ parameters: [Parameter] = [],
        result: String, errors: [ErrorReason] = [], shorthand word: String? = nil,
        _ operand: Shorthand.Operand? = nil,
        bind: @escaping @Sendable (Arguments) throws(WireError) -> Call
    ) {
        self.method = method
        self.summary = summary
        self.role = role
        self.parameters = parameters
        self.result = result
        self.errors = errors
        self.shorthand = word.map { Shorthand(word: $0, operand: operand) }
        self.bind = bind
    }
}

/// A parameter of a method.
package final class Parameter: Sendable {
    package enum Kind: Sendable {
        /// Text of at most so many UTF-8 bytes.
        case string(maxBytes: Int)
        case choice([String])
        case integer(ClosedRange<Int64>)
        case boolean
        case object([Parameter])
    }

    package let name: String
    package let kind: Kind
    package let isRequired: Bool
    package let summary: String

    init(_ name: String, _ kind: Kind, required: Bool = false, _ summary: String) {
        self.name = name
        self.kind = kind
        self.isRequired = required
        self.summary = summary
    }
}

/// The arguments of one request, already of the kinds that its method's parameters ask for.
package struct Arguments: Sendable {
    package enum Value: Sendable {
        case string(String)
        case integer(Int64)
        case boolean(Bool)
        case object(Arguments)
    }

    private var values: [(name: String, value: Value)] = []

    package init() {}

    package mutating func set(_ name: String, to value: Value) {
        values.append((name, value))
    }

    package func has(_ name: String) -> Bool {
        values.contains { $0.name == name }
    }

    package func string(_ name: String) -> String? {
        guard case .string(let text) = self[name] else { return nil }
        return text
    }

    package func integer(_ name: String) -> Int64? {
        guard case .integer(let number) = self[name] else { return nil }
        return number
    }

    package func boolean(_ name: String) -> Bool? {
        guard case .boolean(let flag) = self[name] else { return nil }
        return flag
    }

    package func object(_ name: String) -> Arguments? {
        guard case .object(let members) = self[name] else { return nil }
        return members
    }

    private subscript(name: String) -> Value? {
        values.first { $0.name == name }?.value
    }
}
