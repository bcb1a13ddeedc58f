// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// A request before it has an id and a connection.
struct Request: Sendable {
    let method: String
    /// The JSON object of the parameters, on one line; nil for none.
    let params: [UInt8]?
    let repetition: Repetition

    /// What is done with a request whose connection was lost before its answer.
    enum Repetition: Sendable {
        /// It fails.
        case never
        /// It is sent once more, which does no harm: it only reads, or fetches anew what there is.
        case once
        /// It is sent on each connection until it is answered: it has a key, so it is carried out
        /// once however often it is sent.
        case untilAnswered
    }

    init(
        _ method: Method, _ repetition: Repetition, arguments: (inout Arguments) -> Void
    ) throws(ClientError) {
        var members = Arguments()
        arguments(&members)
        if repetition == .untilAnswered { members.add("key", Self.newKey()) }
        self.method = method.rawValue
        self.params = members.json
        self.repetition = repetition
        try checkLength()
    }

    /// 128 random bits, which no other request will have.
    private static func newKey() -> String {
        (0..<2).map { _ in Epoch(value: .random(in: .min ... .max)).description }.joined()
    }

    /// Takes parameters as somebody wrote them, on several lines perhaps.
    init(method: String, params text: String?) throws(ClientError) {
        self.method = method
        self.repetition = .never
        guard let text else {
            params = nil
            return
        }
        // A line end is blank space in JSON and the end of the request on the wire.
        let bytes = text.utf8.map { $0 == 0x0A || $0 == 0x0D ? UInt8(ascii: " ") : $0 }
        guard JSONMembers(of: Array(text.utf8)) != nil else {
            throw ClientError(
                .invalidRequest,
                "the parameters of \(method) must be one JSON object, such as {\"user\":1000}")
        }
        params = bytes
        try checkLength()
    }

    /// The line to send, with its end.
    func line(id: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        writer.integer(id)
        writer.raw(",\"method\":")
        writer.string(method)
        if let params {
            writer.raw(",\"params\":")
            writer.raw(params)
        }
        writer.raw("}\n")
        return writer.bytes
    }

    private func checkLength() throws(ClientError) {
        guard line(id: .max).count > Limits.lineBytes else { return }
        throw ClientError(
            .invalidRequest,
            "a request may have \(Limits.lineBytes) bytes, and this \(method) has more; "
                + "send less at a time")
    }
}

extension Request {
    /// The members of the parameters; those without a value are left out.
    struct Arguments {
        private var writer = JSONWriter()

        fileprivate var json: [UInt8]? {
            writer.bytes.isEmpty ? nil : writer.bytes + [UInt8(ascii: "}")]
        }

        mutating func add(_ name: String, _ value: (some SignedInteger)?) {
            guard let value else { return }
            begin(name)
            writer.integer(Int64(value))
        }

        mutating func add(_ name: String, _ value: String?) {
            guard let value else { return }
            begin(name)
            writer.string(value)
        }

        private mutating func begin(_ name: String) {
            writer.raw(writer.bytes.isEmpty ? "{" : ",")
            writer.string(name)
            writer.raw(":")
        }
    }
}

extension Request {
    /// The first line of a connection; the name is cut to what the daemon takes.
    static func hello(id: Int, name: String) -> [UInt8] {
        var name = name
        while name.utf8.count > nameBytes { name.removeLast() }
        var writer = JSONWriter()
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        writer.integer(id)
        writer.raw(",\"method\":\"hello\",\"params\":{\"client\":{\"name\":")
        writer.string(name)
        writer.raw("},\"protocol\":1}}\n")
        return writer.bytes
    }

    static func subscribe(id: Int, topic: String, name: String, since: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        writer.integer(id)
        writer.raw(",\"method\":\"subscribe\",\"params\":{\"topic\":")
        writer.string(topic)
        writer.raw(",\"as\":")
        writer.string(name)
        if let since {
            writer.raw(",\"since\":")
            writer.string(since)
        }
        writer.raw("}}\n")
        return writer.bytes
    }

    static func unsubscribe(id: Int, name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        writer.integer(id)
        writer.raw(",\"method\":\"unsubscribe\",\"params\":{\"as\":")
        writer.string(name)
        writer.raw("}}\n")
        return writer.bytes
    }

    /// Bytes of a client's name that the daemon takes.
    static let nameBytes = 128
}
