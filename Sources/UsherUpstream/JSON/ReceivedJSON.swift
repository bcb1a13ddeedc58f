// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherJSON

/// A JSON text from outside.
///
/// It is read strictly, but for single values: one that is broken in itself is there as something that no member takes,
/// and costs nothing else. Not thread-safe; its memory, several times the text's, goes with the last of its values.
struct ReceivedJSON {
    /// Nesting of a text.
    static let depth = 512

    fileprivate let parser: JSONParser
    /// Where keys begin that are no texts.
    fileprivate let brokenKeys: Set<Int>

    /// Reads a text; nil if it is not JSON.
    init?(_ text: [UInt8]) {
        // Most texts are in order, and are looked at once.
        if let parser = Self.parse(text) {
            self.parser = parser
            brokenKeys = []
        } else {
            guard let mended = MendedJSON(text), let parser = Self.parse(mended.text) else {
                return nil
            }
            self.parser = parser
            brokenKeys = mended.brokenKeys
        }
    }

    private static func parse(_ text: [UInt8]) -> JSONParser? {
        let parser = JSONParser(capacity: text.count, depth: depth)
        do {
            try parser.parse(text.span)
            return parser
        } catch {
            return nil
        }
    }

    /// The outermost value.
    var root: ReceivedValue { ReceivedValue(document: self, node: parser.root) }
}

/// A value of a text from outside.
struct ReceivedValue {
    fileprivate let document: ReceivedJSON
    fileprivate let node: JSONNode

    private var parser: JSONParser { document.parser }

    var isNull: Bool { parser.kind(node) == .null }

    /// The value as a whole number, however it is written; nil if it is none, or may have been rounded.
    var integer: Int64? {
        switch parser.kind(node) {
        case .integer: return parser.integer(node)
        case .number:
            let number = parser.number(node)
            // Beyond 53 bits, several whole numbers are the same Double.
            return number.magnitude < 0x1p53 ? Int64(exactly: number) : nil
        default: return nil
        }
    }

    var number: Double? {
        switch parser.kind(node) {
        case .integer, .number: parser.number(node)
        default: nil
        }
    }

    var text: String? { parser.kind(node) == .string ? parser.string(node) : nil }

    var boolean: Bool? { parser.kind(node) == .boolean ? parser.boolean(node) : nil }

    /// The elements of an array; nil if the value is none.
    var elements: Elements? {
        guard parser.kind(node) == .array else { return nil }
        return Elements(array: self, upcoming: parser.firstChild(node))
    }

    /// The elements of an array of whole numbers; nil if the value is none, or has another element.
    var integers: [Int64]? {
        guard let elements else { return nil }
        var integers: [Int64] = []
        for element in elements {
            guard let integer = element.integer else { return nil }
            integers.append(integer)
        }
        return integers
    }

    /// The members of an object; nil if the value is none, or a key of its own is no text.
    var members: Members? {
        guard parser.kind(node) == .object else { return nil }
        let members = Members(object: self)
        let isInOrder =
            document.brokenKeys.isEmpty
            || members.allSatisfy { !document.brokenKeys.contains(parser.offset($0)) }
        return isInOrder ? members : nil
    }

    struct Elements: Sequence, IteratorProtocol {
        fileprivate let array: ReceivedValue
        fileprivate var upcoming: JSONNode?

        mutating func next() -> ReceivedValue? {
            guard let node = upcoming else { return nil }
            upcoming = array.parser.sibling(after: node, in: array.node)
            return ReceivedValue(document: array.document, node: node)
        }
    }

    struct Members {
        fileprivate let object: ReceivedValue

        /// A member's value; nil if there is no such member, or it is null.
        ///
        /// Of two members of a name the first counts.
        subscript(_ name: StaticString) -> ReceivedValue? {
            let parser = object.parser
            var next = parser.firstChild(object.node)
            while let key = next {
                let value = parser.value(ofKey: key)
                if parser.text(key, is: name) {
                    let value = ReceivedValue(document: object.document, node: value)
                    return value.isNull ? nil : value
                }
                next = parser.sibling(after: value, in: object.node)
            }
            return nil
        }

        fileprivate func allSatisfy(_ condition: (JSONNode) -> Bool) -> Bool {
            let parser = object.parser
            var next = parser.firstChild(object.node)
            while let key = next {
                guard condition(key) else { return false }
                next = parser.sibling(after: parser.value(ofKey: key), in: object.node)
            }
            return true
        }
    }
}
