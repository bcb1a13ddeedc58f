// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UsherWire

/// The rules of OpenRPC 1.3 and its meta-schema, as far as the document has to do with them.
@Suite(.timeLimit(.minutes(5))) struct `The OpenRPC document` {
    private let document: JSON

    init() throws {
        document = try RunningDaemon().connect().ask("rpc.discover")["result"]
    }

    @Test func `is the one in proto-docs`() throws {
        // On a mismatch: echo rpc.discover | socat -t 5 - UNIX-CONNECT:$S | jq .result
        #expect(try JSON(parsing: Document("proto-docs/openrpc.json").text) == document)
    }

    @Test func `has the members that OpenRPC knows, and those it requires`() {
        #expect(document["openrpc"].string == "1.3.2")
        expect(document, required: ["openrpc", "info", "methods"], optional: ["components"])
        expect(document["info"], required: ["title", "version"], optional: ["description"])
        expect(document["components"], required: ["schemas", "errors"])
        for method in methods {
            expect(
                method, required: ["name", "params", "result"],
                optional: ["summary", "paramStructure", "errors"])
            #expect(method["paramStructure"].string == "by-name")
            for descriptor in method["params"].array + [method["result"]] {
                expect(
                    descriptor, required: ["name", "schema"], optional: ["summary", "required"])
            }
            for error in method["errors"].array {
                expect(error, required: ["code", "message"], optional: ["data"])
            }
        }
    }

    @Test func `names each method, and each parameter of a method, once`() {
        let names = methods.compactMap { $0["name"].string }
        #expect(names == MethodTable.entries.map(\.method.rawValue))
        #expect(Set(names).count == names.count)
        for method in methods + document["x-events"].array {
            let names = method["params"].array.compactMap { $0["name"].string }
            #expect(Set(names).count == names.count)
            // A required parameter may not follow an optional one only where order matters.
            #expect(method["paramStructure"].string == "by-name")
        }
    }

    @Test func `refers to nothing that is not there, and has no schema that nothing refers to`() {
        let schemas = JSONSchema(document: document)
        let references = Set(document.references)
        for reference in references {
            #expect(schemas.target(of: reference) != .null, "\(reference)")
        }
        let known = document["components", "schemas"].members.keys
        #expect(Set(known.map { "#/components/schemas/\($0)" }) == references)
    }

    @Test func `uses only keywords that the tests understand`() {
        let schemas = JSONSchema(document: document)
        let parameters = (methods + document["x-events"].array).flatMap { $0["params"].array }
        let all =
            parameters.map { $0["schema"] } + methods.map { $0["result", "schema"] }
            + document["components", "schemas"].members.values
        for schema in all {
            #expect(schemas.unknownKeywords(in: schema).isEmpty)
        }
    }

    @Test func `has every error, and each as its reason says`() {
        let errors = document["components", "errors"].members
        #expect(Set(errors.keys) == Set(ErrorReason.allCases.map(\.rawValue)))
        for reason in ErrorReason.allCases {
            let error = errors[reason.rawValue]
            #expect(error?["code"].integer == reason.code)
            #expect(error?["data", "reason"].string == reason.rawValue)
        }
        for error in methods.flatMap({ $0["errors"].array }) {
            #expect(errors[error["data", "reason"].string ?? ""] == error)
        }
    }

    @Test func `has every limit with its default`() throws {
        let limits = document["x-limits"].members.mapValues { $0["default"] }
        #expect(try RunningDaemon().connect().ask("hello")["result", "limits"].members == limits)
    }

    private var methods: [JSON] { document["methods"].array }

    /// Extensions, whose names begin with `x-`, may be anywhere.
    private func expect(_ object: JSON, required: Set<String>, optional: Set<String> = []) {
        let names = Set(object.members.keys.filter { !$0.hasPrefix("x-") })
        #expect(names.isSuperset(of: required), "\(object)")
        #expect(names.isSubset(of: required.union(optional)), "\(object)")
    }
}

extension JSON {
    /// All that is referred to, anywhere.
    fileprivate var references: [String] {
        switch self {
        case .object(let members):
            members.flatMap { $0.key == "$ref" ? [$0.value.string ?? ""] : $0.value.references }
        case .array(let elements): elements.flatMap(\.references)
        default: []
        }
    }
}
