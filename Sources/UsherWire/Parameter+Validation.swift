// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension Parameter {
    /// Gives back a value that the parameter allows; `path` is its JSON pointer.
    package func check(
        _ value: Arguments.Value, path: @autoclosure () -> String
    ) throws(WireError) -> Arguments.Value {
        switch (kind, value) {
        case (.string(let limit), .string(let text)):
            guard text.utf8.count <= limit else {
                throw WireError(.outOfRange, "\(name) has more than \(limit) bytes", path: path())
            }
        case (.choice(let allowed), .string(let text)):
            guard allowed.contains(text) else {
                throw WireError(
                    .outOfRange, "\(name): " + Shorthand.unknown(text, among: allowed), path: path()
                )
            }
        case (.integer(let range), .integer(let number)):
            guard range.contains(number) else {
                throw WireError(
                    .outOfRange, "\(name) is from \(range.lowerBound) to \(range.upperBound)",
                    path: path())
            }
        case (.boolean, .boolean), (.object, .object): break
        default: throw WireError(.wrongType, "\(name) is \(kind.noun)", path: path())
        }
        return value
    }
}

extension Parameter.Kind {
    /// The kind with its article, for errors.
    package var noun: String {
        switch self {
        case .string, .choice: "a string"
        case .integer: "a whole number"
        case .boolean: "true or false"
        case .object: "an object"
        }
    }
}

extension Arguments {
    /// Throws unless every parameter that a method requires has its argument.
    package func checkRequired(of entry: MethodEntry) throws(WireError) {
        for parameter in entry.parameters where parameter.isRequired && !has(parameter.name) {
            throw WireError(
                .missing, "\(entry.method.rawValue) needs \(parameter.name): \(parameter.summary)",
                path: "/params/\(parameter.name)")
        }
    }
}
