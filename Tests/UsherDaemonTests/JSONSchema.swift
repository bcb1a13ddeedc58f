// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport

/// The part of JSON Schema that `rpc.discover` uses; a keyword it does not know is an error.
struct JSONSchema {
    /// What `$ref` refers into.
    let document: JSON

    /// All that does not fit, each with its place in the value; empty if the value fits.
    func problems(_ value: JSON, _ schema: JSON, at place: String = "") -> [String] {
        guard case .object(let keywords) = schema else {
            return ["\(place): a schema is an object"]
        }
        return keywords.sorted { $0.key < $1.key }.flatMap { keyword, rule in
            problems(value, keyword, rule, keywords, place)
        }
    }

    /// The keywords anywhere in a schema that are not known here.
    func unknownKeywords(in schema: JSON) -> Set<String> {
        var unknown: Set<String> = []
        for (keyword, rule) in schema.members {
            let inner =
                switch keyword {
                case "properties": Array(rule.members.values)
                case "items", "additionalProperties": [rule]
                case "anyOf", "oneOf": rule.array
                default: [JSON]()
                }
            for schema in inner { unknown.formUnion(unknownKeywords(in: schema)) }
            let problems = problems(.null, keyword, rule, schema.members, "")
            if problems.contains(where: { $0.hasSuffix("no keyword \(keyword)") }) {
                unknown.insert(keyword)
            }
        }
        return unknown
    }

    /// What a `$ref` refers to; null if that is nothing.
    func target(of reference: String) -> JSON {
        guard reference.hasPrefix("#/") else { return .null }
        return reference.dropFirst(2).split(separator: "/").reduce(document) { $0[String($1)] }
    }

    private func problems(
        _ value: JSON, _ keyword: String, _ rule: JSON, _ schema: [String: JSON], _ place: String
    ) -> [String] {
        func require(_ fits: Bool) -> [String] {
            fits ? [] : ["\(place): \(value) is not of \(keyword) \(rule)"]
        }
        switch keyword {
        case "$ref": return problems(value, target(of: rule.string ?? ""), at: place)
        case "type":
            let types = rule.string.map { [$0] } ?? rule.array.compactMap(\.string)
            return require(types.contains { value.isOf(type: $0) })
        case "enum": return require(rule.array.contains(value))
        case "const": return require(rule == value)
        case "required":
            return require(rule.array.allSatisfy { value.members[$0.string ?? ""] != nil })
        case "properties":
            return rule.members.flatMap { name, schema in
                value.members[name].map { problems($0, schema, at: "\(place)/\(name)") } ?? []
            }
        case "additionalProperties":
            let others = value.members.filter { schema["properties"]?.members[$0.key] == nil }
            if rule == .boolean(false) { return require(others.isEmpty) }
            return others.flatMap { problems($0.value, rule, at: "\(place)/\($0.key)") }
        case "items":
            return value.array.enumerated().flatMap {
                problems($0.element, rule, at: "\(place)/\($0.offset)")
            }
        case "anyOf": return require(rule.array.contains { problems(value, $0).isEmpty })
        case "oneOf": return require(rule.array.count { problems(value, $0).isEmpty } == 1)
        case "minimum": return require((value.integer ?? .max) >= (rule.integer ?? .min))
        case "maximum": return require((value.integer ?? .min) <= (rule.integer ?? .max))
        case "maxLength":
            return require((value.string?.unicodeScalars.count ?? 0) <= (rule.integer ?? 0))
        case "pattern":
            guard let text = value.string, let regex = try? Regex(rule.string ?? "(") else {
                return require(false)
            }
            return require(text.firstMatch(of: regex) != nil)
        case "description": return []
        case "x-maxBytes": return require((value.string?.utf8.count ?? 0) <= (rule.integer ?? 0))
        default: return ["\(place): there is no keyword \(keyword)"]
        }
    }
}

extension JSON {
    /// The members of an object; none for others.
    var members: [String: JSON] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    fileprivate func isOf(type: String) -> Bool {
        switch (type, self) {
        case ("null", .null), ("boolean", .boolean), ("number", .number), ("string", .string),
            ("array", .array), ("object", .object):
            true
        case ("integer", .number(let number)): number.rounded() == number
        default: false
        }
    }
}
