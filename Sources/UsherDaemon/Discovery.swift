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

    /// All methods, or one; with all of them the schemas of results and events and the table of errors.
    mutating func discovery(of method: Method?) {
        raw("{\"openrpc\":\"1.3.2\",\"info\":{\"title\":\"usherd\",\"version\":")
        string(version)
        raw(",\"description\":")
        string(
            "JSON-RPC 2.0, one message a line, on a Unix socket. Events are notifications of the "
                + "method event.")
        raw("},\"methods\":[")
        let entries = MethodTable.entries.filter { method == nil || $0.method == method }
        for (index, entry) in entries.enumerated() {
            if index > 0 { raw(",") }
            self.entry(entry)
        }
        raw("],\"components\":{\"schemas\":{")
        for (index, schema) in ResultSchema.all.enumerated() {
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
        raw("}}}")
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
            raw("{\"$ref\":")
            string("#/components/errors/\(reason.rawValue)")
            raw("}")
        }
        raw("]}")
    }

    private mutating func schema(_ kind: Parameter.Kind) {
        switch kind {
        case .string(let limit):
            raw("{\"type\":\"string\",\"maxLength\":")
            integer(limit)
        case .choice(let values):
            raw("{\"enum\":[")
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

/// The schemas of results and events, in JSON Schema.
private enum ResultSchema {
    static let all: [(name: String, json: String)] = [
        ("Empty", ##"{"type":"object","maxProperties":0}"##),
        ("Hello", object("server", "protocol", "epoch", "role", "user", "limits", "features")),
        (
            "Help",
            ##"{"type":"object","required":["lines"],"properties":{"lines":{"type":"array","items":{"type":"string"}}}}"##
        ),
        ("OpenRPC", object("openrpc", "info", "methods")),
        (
            "Ping",
            ##"{"type":"object","required":["uptime_ms"],"properties":{"uptime_ms":{"type":"integer"}}}"##
        ),
        (
            "Stats",
            object(
                "uptime_ms", "clients", "requests", "pushes", "store", "users", "movies")
        ),
        ("Clients", object("items", "offset", "total", "next")),
        ("Cursor", ##"{"type":"string","pattern":"^[0-9a-f]{16}:[0-9]+$"}"##),
        (
            "User",
            ##"{"type":"object","required":["user","state","cursor"],"properties":{"user":{"type":"integer"},"state":{"$ref":"#/components/schemas/UserState"},"cursor":{"$ref":"#/components/schemas/Cursor"}}}"##
        ),
        (
            "UserState",
            ##"{"type":"object","required":["state"],"properties":{"state":{"enum":["initial","loading","loaded","error"]},"user":{"type":"object","required":["id","name","username","phone"],"properties":{"id":{"type":"integer"},"name":{"type":"string"},"username":{"type":"string"},"phone":{"type":["string","null"]}}},"message":{"type":"string"}}}"##
        ),
        (
            "Movie",
            ##"{"type":"object","required":["id","title"],"properties":{"id":{"type":"integer","minimum":1},"title":{"type":"string"}}}"##
        ),
        (
            "MovieListStatus",
            ##"{"type":"object","required":["phase","page","pages","total","complete"],"properties":{"phase":{"enum":["idle","loading","error"]},"message":{"type":"string"},"page":{"type":"integer"},"pages":{"type":"integer"},"total":{"type":"integer"},"complete":{"type":"boolean"}}}"##
        ),
        (
            "Movies",
            ##"{"type":"object","required":["list","offset","items","next","total","complete","status","cursor"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Movie"}},"next":{"type":["integer","null"]},"status":{"$ref":"#/components/schemas/MovieListStatus"},"cursor":{"$ref":"#/components/schemas/Cursor"}}}"##
        ),
        (
            "MoviesStatus",
            ##"{"type":"object","required":["list","status","cursor"],"properties":{"status":{"$ref":"#/components/schemas/MovieListStatus"},"cursor":{"$ref":"#/components/schemas/Cursor"}}}"##
        ),
        (
            "Subscription",
            ##"{"type":"object","required":["as","topic","cursor","recovered"],"properties":{"reason":{"enum":["no_cursor","epoch_changed","list_reset","ahead","too_old"]},"cursor":{"$ref":"#/components/schemas/Cursor"},"more":{"type":"boolean"}}}"##
        ),
        (
            "Event",
            ##"{"type":"object","required":["as","topic","cursor","prev","data"],"properties":{"cursor":{"$ref":"#/components/schemas/Cursor"},"prev":{"$ref":"#/components/schemas/Cursor"},"skipped":{"type":"integer"},"gap":{"type":"boolean"},"more":{"type":"boolean"}}}"##
        ),
    ]

    /// An object of which only the members' names are told.
    private static func object(_ members: String...) -> String {
        let names = members.map { "\"\($0)\"" }.joined(separator: ",")
        return "{\"type\":\"object\",\"required\":[\(names)]}"
    }
}
