// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherJSON
import UsherWire

/// Makes requests of lines: JSON-RPC or shorthand, one or a batch, each validated against the method table.
///
/// Nothing that a line holds is acted on before all of its request was found right.
struct RequestBinder {
    /// What a line turned out to be.
    enum Bound {
        case one(Request)
        /// The requests of a batch, or of a typed line that stands for several.
        case batch([Request])
        case several([Request])
        /// HTTP came to the wrong place; the error is answered and the connection closed.
        case foreign(Request)
        /// Nothing: a blank line or a comment.
        case nothing
    }

    /// A byte order mark, which is let pass at the very start of a connection and nowhere else.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let parser = JSONParser(capacity: Limits.lineBytes, depth: Limits.jsonDepth)

    /// Reads a line: `range` of `bytes`, without its end; `number` counts the connection's lines from 1.
    ///
    /// `isWhole` is false for a last line that the end of the stream ended; typed words may be cut short there.
    func bind(
        _ bytes: borrowing [UInt8], _ range: Range<Int>, number: Int, isWhole: Bool
    ) -> Bound {
        let isMarked = number == 1 && bytes[range].starts(with: Self.mark)
        let line = isMarked ? range.dropFirst(Self.mark.count) : range
        guard let first = line.first(where: { bytes[$0] != 0x20 && bytes[$0] != 0x09 }) else {
            return .nothing
        }
        switch bytes[first] {
        case UInt8(ascii: "#"): return .nothing
        case UInt8(ascii: "{"), UInt8(ascii: "["): return bindJSON(bytes, line)
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
            return bindTyped(bytes, line, from: first, number: number, isWhole: isWhole)
        default: return bindOther(bytes, line, from: first)
        }
    }

    // MARK: JSON

    private func bindJSON(_ bytes: borrowing [UInt8], _ range: Range<Int>) -> Bound {
        let line = bytes.span.extracting(range)
        do throws(JSONSyntaxError) {
            try parser.parse(line)
        } catch {
            return .one(.wrong(.unreadable, WireError(error)))
        }
        guard parser.kind(parser.root) == .array else {
            return .one(bind(parser.root, bytes, range))
        }
        let count = parser.count(ofArray: parser.root)
        guard count > 0 else {
            return .one(
                .wrong(.unreadable, WireError(.batchEmpty, "a batch holds at least one request")))
        }
        guard count <= Limits.batchRequests else {
            let message =
                "a batch holds at most \(Limits.batchRequests) requests, this one \(count)"
            return .one(.wrong(.unreadable, WireError(.batchTooBig, message)))
        }
        var requests: [Request] = []
        var element = parser.firstChild(parser.root)
        while let node = element {
            requests.append(bind(node, bytes, range))
            element = parser.sibling(after: node, in: parser.root)
        }
        return .batch(requests)
    }

    private func bind(
        _ node: JSONNode, _ bytes: borrowing [UInt8], _ range: Range<Int>
    ) -> Request {
        guard parser.kind(node) == .object else {
            return .wrong(
                .unreadable, WireError(.notObject, "a request is an object, or an array of them"))
        }
        var id = RequestID.absent
        var isRequest = false
        do throws(WireError) {
            let envelope = try Envelope(node, parser)
            if let node = envelope.id { id = try self.id(node, bytes, range) }
            try envelope.check(parser)
            guard let name = envelope.method else {
                throw WireError(.missing, "the request has no method", path: "/method")
            }
            isRequest = true
            let entry = try entry(name)
            let arguments = try arguments(envelope.params, of: entry)
            return Request(
                id: id,
                outcome: .success(.init(entry: entry, call: try entry.bind(arguments))))
        } catch {
            // What is no request at all, and so no notification, is answered even without an id.
            return .wrong(id == .absent && !isRequest ? .unreadable : id, error)
        }
    }

    private func id(
        _ node: JSONNode, _ bytes: borrowing [UInt8], _ range: Range<Int>
    ) throws(WireError) -> RequestID {
        let first = range.lowerBound + parser.offset(node)
        switch parser.kind(node) {
        case .string:
            var end = first + 1
            while bytes[end] != UInt8(ascii: "\"") {
                end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            // Escapes count as they are written, since they are echoed so.
            guard end - first - 1 <= Limits.idBytes else { break }
            return .json(bytes[first...end])
        case .integer where parser.integer(node).magnitude <= 1 << 53 - 1:
            var end = first + 1
            while end < range.upperBound, (0x30...0x39).contains(bytes[end]) { end += 1 }
            return .json(bytes[first..<end])
        default: break
        }
        let message =
            "id is a string of at most \(Limits.idBytes) bytes or an integer within 2^53 - 1"
        throw WireError(.badID, message, path: "/id")
    }

    private func entry(_ name: JSONNode) throws(WireError) -> MethodEntry {
        if let entry = parser.withText(name, MethodTable.entry(named:)) { return entry }
        throw WireError(
            .unknownMethod,
            Shorthand.unknown(parser.string(name), among: Method.allCases.map(\.rawValue)))
    }

    private func arguments(
        _ params: JSONNode?, of entry: MethodEntry
    ) throws(WireError) -> Arguments {
        var arguments = Arguments()
        if let params {
            arguments = try members(
                params, parameters: entry.parameters, of: entry.method.rawValue, path: "/params")
        }
        try arguments.checkRequired(of: entry)
        return arguments
    }

    private func members(
        _ object: JSONNode, parameters: [Parameter], of owner: String,
        path: @autoclosure () -> String
    ) throws(WireError) -> Arguments {
        var arguments = Arguments()
        var next = parser.firstChild(object)
        while let key = next {
            func place() -> String {
                "\(path())/\(parser.string(key).excerpt.escapedForPointer)"
            }
            guard let parameter = parameters.first(where: { parser.text(key, is: $0.name) }) else {
                let name = parser.string(key)
                let known = parameters.map(\.name).joined(separator: ", ")
                let hint = known.isEmpty ? "it takes nothing" : "it takes \(known)"
                throw WireError(
                    .unknownParam, "\(owner) has no \(name.excerpt); \(hint)", path: place())
            }
            let value = parser.value(ofKey: key)
            arguments.set(parameter.name, to: try argument(value, for: parameter, path: place()))
            next = parser.sibling(after: value, in: object)
        }
        return arguments
    }

    private func argument(
        _ node: JSONNode, for parameter: Parameter, path: @autoclosure () -> String
    ) throws(WireError) -> Arguments.Value {
        let value: Arguments.Value? =
            switch (parameter.kind, parser.kind(node)) {
            case (.string, .string), (.choice, .string): .string(parser.string(node))
            case (.integer, .integer): .integer(parser.integer(node))
            case (.boolean, .boolean): .boolean(parser.boolean(node))
            case (.object(let parameters), .object):
                .object(
                    try members(node, parameters: parameters, of: parameter.name, path: path()))
            default: nil
            }
        guard let value else {
            throw WireError(
                .wrongType, "\(parameter.name) is \(parameter.kind.noun)", path: path())
        }
        return try parameter.check(value, path: path())
    }

    // MARK: Other lines

    /// Finds what no line may hold, whatever it is.
    private func checkText(
        _ bytes: borrowing [UInt8], _ range: Range<Int>
    ) throws(WireError) {
        let line = bytes.span.extracting(range)
        if let offset = firstInvalidUTF8(in: line) {
            throw WireError(JSONSyntaxError.invalidUTF8(offset: offset))
        }
        if let offset = line.indices.first(where: { line[$0] == 0 }) {
            throw WireError(JSONSyntaxError.nulByte(offset: offset))
        }
    }

    private func bindTyped(
        _ bytes: borrowing [UInt8], _ range: Range<Int>, from first: Int, number: Int, isWhole: Bool
    ) -> Bound {
        let id = RequestID.json(ArraySlice(String(number).utf8))
        func wrong(_ error: WireError) -> Bound {
            var request = Request.wrong(id, error)
            request.isTyped = true
            return .one(request)
        }
        do throws(WireError) {
            try checkText(bytes, range)
            let line = String(decoding: bytes[first..<range.upperBound], as: UTF8.self)
            guard isWhole || Shorthand.isWord(line) else {
                throw WireError(
                    .badJSON, "a typed line ends with a newline; this one may have been cut short")
            }
            let command = try Shorthand.parse(line)
            var requests: [Request] = []
            for arguments in command.calls {
                let call = try command.entry.bind(arguments)
                requests.append(
                    Request(
                        id: id, outcome: .success(.init(entry: command.entry, call: call)),
                        isTyped: true))
            }
            return requests.count == 1 ? .one(requests[0]) : .several(requests)
        } catch {
            return wrong(error)
        }
    }

    private func bindOther(
        _ bytes: borrowing [UInt8], _ range: Range<Int>, from first: Int
    ) -> Bound {
        let isHTTP = ["GET ", "POST ", "HEAD ", "PUT "].contains {
            bytes[first..<range.upperBound].starts(with: $0.utf8)
        }
        do throws(WireError) {
            if !isHTTP { try checkText(bytes, range) }
        } catch {
            return .one(.wrong(.unreadable, error))
        }
        if isHTTP {
            let error = WireError(
                .badJSON, "this is not HTTP; send one JSON-RPC request a line, or help")
            return .foreign(.wrong(.unreadable, error))
        }
        let error = WireError(
            .badJSON, "a line is a JSON object, an array of them, or a word; help lists the words",
            offset: first - range.lowerBound)
        return .one(.wrong(.unreadable, error))
    }
}

extension Request {
    fileprivate static func wrong(_ id: RequestID, _ error: WireError) -> Request {
        Request(id: id, outcome: .failure(error))
    }
}

extension WireError {
    fileprivate init(_ error: JSONSyntaxError) {
        switch error {
        case .malformed: self.init(.badJSON, "the line is not strict JSON")
        case .invalidUTF8(let offset):
            self.init(.invalidUTF8, "the line is not valid UTF-8", offset: offset)
        case .nulByte(let offset):
            self.init(.nulByte, "the line holds a NUL byte", offset: offset)
        case .tooDeep:
            self.init(.tooDeep, "the JSON is nested more than \(Limits.jsonDepth) deep")
        case .badNumber:
            self.init(.badNumber, "a number is not written as in JSON, or beyond what 64 bits hold")
        }
    }
}
