// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

// The OpenRPC document, made from the method table that also dispatches and validates.
extension JSONWriter {
    mutating func help() {
        raw("{\"lines\":[")
        for (index, line) in Shorthand.help.enumerated() {
            if index > 0 { raw(",") }
            string(line)
        }
        raw("]}")
    }

    /// All methods, or one; in either case with all schemas, events, errors and limits.
    mutating func discovery(of method: Method?) {
        raw("{\"openrpc\":\"1.3.2\",\"info\":{\"title\":\"usherd\",\"version\":")
        string(productVersion)
        raw(",\"description\":")
        string(
            "JSON-RPC 2.0, one message a line, on a Unix socket. x-events lists the notifications "
                + "that subscribers get, x-limits the limits with their defaults; hello tells "
                + "those in force.")
        raw("},\"methods\":[")
        let entries = MethodTable.entries.filter { method == nil || $0.method == method }
        for (index, entry) in entries.enumerated() {
            if index > 0 { raw(",") }
            self.entry(entry)
        }
        raw("],\"components\":{\"schemas\":{")
        for (index, schema) in DiscoverySchema.all.enumerated() {
            if index > 0 { raw(",") }
            string(schema.name)
            raw(":")
            raw(schema.json)
        }
        raw("},\"errors\":{")
        for (index, reason) in ErrorReason.allCases.enumerated() {
            if index > 0 { raw(",") }
            string(reason.rawValue)
            raw(":")
            error(reason)
        }
        raw("}},\"x-events\":")
        raw(DiscoverySchema.events)
        raw(",\"x-limits\":{")
        limits(Limits.settable.map { ($0.name, Limits()[keyPath: $0.path]) }, settable: true)
        raw(",")
        limits(Limits.fixed, settable: false)
        raw("}}")
    }

    private mutating func limits(_ limits: [(name: String, value: Int)], settable: Bool) {
        for (index, limit) in limits.enumerated() {
            if index > 0 { raw(",") }
            string(limit.name)
            raw(":{\"default\":")
            integer(limit.value)
            raw(",\"settable\":")
            boolean(settable)
            raw("}")
        }
    }

    private mutating func entry(_ entry: MethodEntry) {
        raw("{\"name\":")
        string(entry.method.rawValue)
        raw(",\"summary\":")
        string(entry.summary)
        raw(",\"x-role\":")
        string(entry.role.rawValue)
        if let shorthand = entry.shorthand {
            raw(",\"x-shorthand\":")
            string(shorthand.word)
        }
        raw(",\"paramStructure\":\"by-name\",\"params\":[")
        for (index, parameter) in entry.parameters.enumerated() {
            if index > 0 { raw(",") }
            raw("{\"name\":")
            string(parameter.name)
            raw(",\"summary\":")
            string(parameter.summary)
            raw(",\"required\":")
            boolean(parameter.isRequired)
            raw(",\"schema\":")
            schema(parameter.kind)
            raw("}")
        }
        raw("],\"result\":{\"name\":\"result\",\"schema\":{\"$ref\":")
        string("#/components/schemas/\(entry.result)")
        raw("}},\"errors\":[")
        for (index, reason) in entry.errors.enumerated() {
            if index > 0 { raw(",") }
            // Whole, not by reference: some readers of OpenRPC know no references here.
            error(reason)
        }
        raw("]}")
    }

    private mutating func schema(_ kind: Parameter.Kind) {
        switch kind {
        case .string(let limit):
            // The limit is in bytes, and JSON Schema counts characters, of which there are no more.
            raw("{\"type\":\"string\",\"maxLength\":")
            integer(limit)
            raw(",\"x-maxBytes\":")
            integer(limit)
        case .choice(let values):
            raw("{\"type\":\"string\",\"enum\":[")
            for (index, value) in values.enumerated() {
                if index > 0 { raw(",") }
                string(value)
            }
            raw("]")
        case .integer(let range):
            raw("{\"type\":\"integer\",\"minimum\":")
            integer(range.lowerBound)
            raw(",\"maximum\":")
            integer(range.upperBound)
        case .boolean: raw("{\"type\":\"boolean\"")
        case .object(let members):
            raw("{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{")
            for (index, member) in members.enumerated() {
                if index > 0 { raw(",") }
                string(member.name)
                raw(":")
                schema(member.kind)
            }
            raw("}")
        }
        raw("}")
    }

    private mutating func error(_ reason: ErrorReason) {
        raw("{\"code\":")
        integer(reason.code)
        raw(",\"message\":")
        string(reason.summary)
        raw(",\"data\":{\"reason\":")
        string(reason.rawValue)
        raw(",\"retryable\":")
        boolean(reason.isRetryable)
        raw("}}")
    }
}
