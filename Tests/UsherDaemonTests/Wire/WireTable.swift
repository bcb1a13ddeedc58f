// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Bytes that a peer sends on a new connection, and the lines that must come back, exactly.
struct Row {
    let name: String
    let input: [UInt8]
    let expected: [Answer]

    /// A line, whose LF is added.
    init(_ name: String, _ line: String, _ expected: Answer...) {
        self.init(name, bytes: Array(line.utf8) + [0x0A], expected)
    }

    /// Bytes as they are.
    init(_ name: String, bytes: [UInt8], _ expected: Answer...) {
        self.init(name, bytes: bytes, expected)
    }

    init(_ name: String, bytes: [UInt8], _ expected: [Answer]) {
        self.name = name
        self.input = bytes
        self.expected = expected
    }
}

/// What one line from the daemon must be.
enum Answer {
    /// This line and no other.
    case line(String)
    /// A result, with the id in these bytes.
    case result(id: String)
    /// An error whose text is for people; everything else is exact, and what is not named is not there.
    case error(
        id: String, Int, String, path: String? = nil, offset: Int? = nil, says: String = "")

    /// An error of a line that could not be read.
    static func unreadable(_ code: Int, _ reason: String, offset: Int? = nil) -> Answer {
        .error(id: "null", code, reason, offset: offset)
    }

    /// The answer to `sync`, which is the same at all times.
    static func synced(_ id: String) -> Answer {
        .line(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
    }

    /// What is wrong with a line; nil if it is as it must be.
    func complaint(about line: String) -> String? {
        let head = #"{"jsonrpc":"2.0","id":"#
        switch self {
        case .line(let text): return line == text ? nil : "it is not \(text)"
        case .result(let id):
            return line.hasPrefix("\(head)\(id),\"result\":") ? nil : "it is no result of \(id)"
        case .error(let id, let code, let reason, let path, let offset, let says):
            guard line.hasPrefix(#"\#(head)\#(id),"error":{"code":\#(code),"message":""#) else {
                return "it is no error \(code) of \(id)"
            }
            guard let error = try? JSON(parsing: line)["error"] else { return "it is not JSON" }
            let data = error["data"]
            if data["reason"].string != reason { return "the reason is not \(reason)" }
            if data["path"].string != path { return "the path is not \(path ?? "left out")" }
            if data["offset"].integer != offset {
                return "the offset is not \(offset.map(String.init) ?? "left out")"
            }
            guard let message = error["message"].string, message.contains(says), !message.isEmpty
            else { return "it does not say: \(says)" }
            return nil
        }
    }
}

extension RunningDaemon {
    /// Sends each row on a connection of its own, and a ping after it, which must be answered there and then.
    func check(_ rows: [Row], sourceLocation: SourceLocation = #_sourceLocation) throws {
        for row in rows {
            let client = try connect()
            try client.send(bytes: row.input)
            try client.send(#"{"id":"end","method":"ping"}"#)
            var lines: [String] = []
            var isAlive = false
            // What waits for a service may come after the answer to ping.
            while !isAlive || lines.count < row.expected.count, let line = try client.line() {
                if line.hasPrefix(#"{"jsonrpc":"2.0","id":"end","result":{"uptime_ms":"#) {
                    isAlive = true
                    continue
                }
                lines.append(line)
                #expect(line.utf8.count < 65_536, "\(row.name)", sourceLocation: sourceLocation)
            }
            #expect(
                isAlive && lines.count == row.expected.count, "\(row.name): \(lines)",
                sourceLocation: sourceLocation)
            for (line, answer) in zip(lines, row.expected) {
                let complaint = answer.complaint(about: line)
                #expect(
                    complaint == nil, "\(row.name): \(line.prefix(300))",
                    sourceLocation: sourceLocation)
            }
        }
    }
}
