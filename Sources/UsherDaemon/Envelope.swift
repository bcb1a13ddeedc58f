// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherJSON
import UsherWire

/// The members of a JSON-RPC request, each at most once, before any is looked at closely.
struct Envelope {
    private(set) var id: JSONNode?
    private(set) var method: JSONNode?
    private(set) var params: JSONNode?
    private var version: JSONNode?
    private var problem: WireError?

    init(_ object: JSONNode, _ parser: JSONParser) throws(WireError) {
        var members = 0
        var next = parser.firstChild(object)
        while let key = next {
            let value = parser.value(ofKey: key)
            take(value, of: key, parser)
            members += 1
            next = parser.sibling(after: value, in: object)
        }
        // Most requests hold nothing but different members of their own, and need not be searched.
        let distinct = [id, method, params, version].count { $0 != nil }
        guard distinct < members || !parser.isFlat(object, members: members) else { return }
        try refuseDuplicates(in: object, parser)
    }

    private mutating func take(_ value: JSONNode, of key: JSONNode, _ parser: JSONParser) {
        if parser.text(key, is: "jsonrpc") {
            version = value
        } else if parser.text(key, is: "id") {
            id = value
        } else if parser.text(key, is: "method") {
            method = value
        } else if parser.text(key, is: "params") {
            params = value
        } else if problem == nil {
            let name = parser.string(key).excerpt
            problem = WireError(
                .unknownMember, "a request has jsonrpc, id, method and params, no \(name)",
                path: "/\(name.escapedForPointer)")
        }
    }

    /// Notes a key that stands twice in an object, at any depth; it outweighs an unknown one.
    private mutating func refuseDuplicates(
        in object: JSONNode, _ parser: JSONParser
    ) throws(WireError) {
        guard let key = parser.duplicateKey(in: object) else { return }
        let error = WireError(
            .duplicateKey, "the key \(parser.string(key).excerpt) stands twice in an object",
            offset: parser.offset(key))
        // With two ids there is none that could be carried.
        if parser.isKey(key, of: object), parser.text(key, is: "id") { throw error }
        problem = error
    }

    func check(_ parser: JSONParser) throws(WireError) {
        if let problem { throw problem }
        if let version, parser.kind(version) != .string || !parser.text(version, is: "2.0") {
            throw WireError(.badVersion, "jsonrpc is \"2.0\" or left out", path: "/jsonrpc")
        }
        if let method, parser.kind(method) != .string {
            throw WireError(.wrongType, "method is a string", path: "/method")
        }
        if let params, parser.kind(params) != .object {
            throw WireError(
                .notObject, "params is an object; name the parameters", path: "/params")
        }
    }
}

extension String {
    /// The beginning of a text that a peer sent, for messages: short in bytes too, however many marks a Character has.
    var excerpt: String { String(unicodeScalars.prefix(64)) }

    /// The text as a part of a JSON pointer (RFC 6901).
    var escapedForPointer: String {
        unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
