// Part of Usher. SPDX-License-Identifier: Apache-2.0

private import CUsherJSON
private import Glibc

/// The JSON types, integers apart from other numbers.
package enum JSONKind: Sendable {
    case object, array, string, integer, number, boolean, null
}

/// A value of the document that a parser holds; good until that parser's next line.
package struct JSONNode: Sendable, Equatable {
    fileprivate let index: Int
}

/// A line that is not strict JSON.
package enum JSONSyntaxError: Error, Sendable, Equatable {
    case malformed
    case invalidUTF8(offset: Int)
    case nulByte(offset: Int)
    case tooDeep
    /// A number beyond what 64 bits hold, or not written as JSON writes numbers.
    case badNumber
}

/// Strict JSON, one line at a time, by simdjson: valid UTF-8 and RFC 8259 or an error, nothing in between.
///
/// The parser owns the memory of its last document and is reused, so that a line costs no allocation. Values are read
/// through it with ``JSONNode``. Not thread-safe.
@safe
package final class JSONParser {
    private let parser: OpaquePointer
    private let depth: Int
    private var document = unsafe usher_json_document()

    /// A parser for lines of at most `capacity` bytes, nested at most `depth` deep.
    package init(capacity: Int, depth: Int) {
        guard let parser = unsafe usher_json_parser_create(capacity, depth) else {
            fatalError("no memory for a JSON parser of \(capacity) bytes")
        }
        unsafe self.parser = parser
        self.depth = depth
    }

    deinit {
        unsafe usher_json_parser_destroy(parser)
    }

    /// Parses a line; the nodes of the line before are no longer good.
    package func parse(_ line: Span<UInt8>) throws(JSONSyntaxError) {
        unsafe document = line.withUnsafeBufferPointer { bytes in
            unsafe usher_json_parse(parser, bytes.baseAddress, bytes.count)
        }
        switch unsafe usher_json_error(document.error) {
        case USHER_JSON_OK: return
        case let error: throw syntaxError(error, in: line)
        }
    }

    /// What is wrong with a line: bytes that no text has come before what they broke, and brackets without end before
    /// what is missing after them.
    private func syntaxError(_ error: usher_json_error, in line: Span<UInt8>) -> JSONSyntaxError {
        if let offset = firstInvalidUTF8(in: line) { return .invalidUTF8(offset: offset) }
        for offset in line.indices where line[offset] == 0 { return .nulByte(offset: offset) }
        if isTooDeep(line) { return .tooDeep }
        return switch error {
        case USHER_JSON_BAD_NUMBER: .badNumber
        default: .malformed
        }
    }

    /// Whether brackets outside of texts open too many levels, closed or not.
    private func isTooDeep(_ line: Span<UInt8>) -> Bool {
        var level = 0
        var isText = false
        var isEscaped = false
        for index in line.indices {
            switch line[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isText: isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case _ where isText: break
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                level += 1
                if level > depth { return true }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
            default: break
            }
        }
        return false
    }

    /// The document's outermost value.
    package var root: JSONNode { JSONNode(index: 0) }

    package func kind(_ node: JSONNode) -> JSONKind {
        switch usher_json_kind(self[node].kind) {
        case USHER_JSON_OBJECT: .object
        case USHER_JSON_ARRAY: .array
        case USHER_JSON_STRING: .string
        case USHER_JSON_INTEGER: .integer
        case USHER_JSON_NUMBER: .number
        case USHER_JSON_TRUE, USHER_JSON_FALSE: .boolean
        default: .null
        }
    }

    /// Where the value begins in the line.
    package func offset(_ node: JSONNode) -> Int {
        Int(self[node].offset)
    }

    /// The first value inside an array, or key inside an object; nil when it is empty.
    package func firstChild(_ container: JSONNode) -> JSONNode? {
        let child = JSONNode(index: container.index + 1)
        return child.index < Int(self[container].next) ? child : nil
    }

    /// The value that belongs to an object's key.
    package func value(ofKey key: JSONNode) -> JSONNode {
        JSONNode(index: key.index + 1)
    }

    /// The value, or key, after `value` in the same container; nil at its end.
    package func sibling(after value: JSONNode, in container: JSONNode) -> JSONNode? {
        let next = Int(self[value].next)
        return next < Int(self[container].next) ? JSONNode(index: next) : nil
    }

    /// How many values an array has.
    package func count(ofArray array: JSONNode) -> Int {
        var count = 0
        var element = firstChild(array)
        while let current = element {
            count += 1
            element = sibling(after: current, in: array)
        }
        return count
    }

    /// The value of an integer node.
    package func integer(_ node: JSONNode) -> Int64 {
        Int64(bitPattern: self[node].value)
    }

    /// The value of an integer or number node, rounded to what a Double holds.
    package func number(_ node: JSONNode) -> Double {
        kind(node) == .integer ? Double(integer(node)) : Double(bitPattern: self[node].value)
    }

    /// The value of a boolean node.
    package func boolean(_ node: JSONNode) -> Bool {
        usher_json_kind(self[node].kind) == USHER_JSON_TRUE
    }

    /// The text of a string node, unescaped.
    package func string(_ node: JSONNode) -> String {
        unsafe String(decoding: text(node), as: UTF8.self)
    }

    /// How many bytes the text of a string node has.
    package func textLength(_ node: JSONNode) -> Int {
        Int(self[node].length)
    }

    /// Lends the text of a string node, unescaped.
    package func withText<Result>(_ node: JSONNode, _ body: (Span<UInt8>) -> Result) -> Result {
        unsafe body(text(node).span)
    }

    /// Whether a string node's text is this, without making a String.
    package func text(_ node: JSONNode, is expected: StaticString) -> Bool {
        let expected = unsafe UnsafeBufferPointer(
            start: expected.utf8Start, count: expected.utf8CodeUnitCount)
        return unsafe Self.areSame(text(node), expected)
    }

    /// The same for a text that is known only as a String.
    @_disfavoredOverload
    package func text(_ node: JSONNode, is expected: String) -> Bool {
        var expected = expected
        return expected.withUTF8 { unsafe Self.areSame(text(node), $0) }
    }

    /// Whether two string nodes have the same text.
    package func sameText(_ left: JSONNode, _ right: JSONNode) -> Bool {
        unsafe Self.areSame(text(left), text(right))
    }

    private static func areSame(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard left.count == right.count else { return false }
        guard let first = left.baseAddress, let second = right.baseAddress else { return true }
        return unsafe memcmp(first, second, left.count) == 0
    }

    /// A key that an object has twice, in `node` or anything inside it; nil if there is none.
    package func duplicateKey(in node: JSONNode) -> JSONNode? {
        for index in node.index..<Int(self[node].next) {
            let object = JSONNode(index: index)
            guard kind(object) == .object else { continue }
            if let key = ownDuplicateKey(of: object) { return key }
        }
        return nil
    }

    /// Whether an object of so many members holds no value that has values inside it.
    package func isFlat(_ object: JSONNode, members: Int) -> Bool {
        Int(self[object].next) == object.index + 1 + members * 2
    }

    /// Whether `key` is one of an object's own keys.
    package func isKey(_ key: JSONNode, of object: JSONNode) -> Bool {
        var next = firstChild(object)
        while let candidate = next {
            if candidate == key { return true }
            next = sibling(after: value(ofKey: candidate), in: object)
        }
        return false
    }

    /// Small objects are searched as they are; in large ones that would take too long.
    private func ownDuplicateKey(of object: JSONNode) -> JSONNode? {
        var seen: Set<[UInt8]> = []
        var count = 0
        var next = firstChild(object)
        while let key = next {
            if count < Self.keysSearchedOneByOne {
                var earlier = firstChild(object)
                while let other = earlier, other != key {
                    if sameText(other, key) { return key }
                    earlier = sibling(after: value(ofKey: other), in: object)
                }
            } else {
                if count == Self.keysSearchedOneByOne {
                    var earlier = firstChild(object)
                    while let other = earlier, other != key {
                        seen.insert(unsafe Array(text(other)))
                        earlier = sibling(after: value(ofKey: other), in: object)
                    }
                }
                if unsafe !seen.insert(Array(text(key))).inserted { return key }
            }
            count += 1
            next = sibling(after: value(ofKey: key), in: object)
        }
        return nil
    }

    private static let keysSearchedOneByOne = 16

    private func text(_ node: JSONNode) -> UnsafeBufferPointer<UInt8> {
        let string = self[node]
        return unsafe UnsafeBufferPointer(
            start: document.strings + Int(string.value), count: Int(string.length))
    }

    private subscript(node: JSONNode) -> usher_json_node {
        unsafe document.nodes[node.index]
    }
}

/// Where text stops being UTF-8, at the start of the character that is wrong; nil if it is valid.
package func firstInvalidUTF8(in line: Span<UInt8>) -> Int? {
    var index = 0
    while index < line.count {
        let first = line[index]
        let length: Int
        switch first {
        case 0..<0x80: length = 1
        case 0xC2..<0xE0: length = 2
        case 0xE0..<0xF0: length = 3
        case 0xF0..<0xF5: length = 4
        default: return index
        }
        for position in 1..<max(length, 1) {
            guard index + position < line.count else { return index }
            let byte = line[index + position]
            let allowed: ClosedRange<UInt8> =
                switch (first, position) {
                case (0xE0, 1): 0xA0...0xBF
                case (0xED, 1): 0x80...0x9F
                case (0xF0, 1): 0x90...0xBF
                case (0xF4, 1): 0x80...0x8F
                default: 0x80...0xBF
                }
            guard allowed.contains(byte) else { return index }
        }
        index += length
    }
    return nil
}
