// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A line of a transcript, in which `<KIND>` stands for what differs from run to run.
///
/// `<KIND-NAME>` is remembered when it is first met, and is that same text wherever it stands again.
struct TranscriptPattern {
    private enum Part {
        case literal(ArraySlice<UInt8>)
        case placeholder(String)
    }

    private var parts: [Part] = []

    /// Reads a line; a placeholder that is not known is an error.
    init(_ text: String) throws {
        let bytes = Array(text.utf8)
        var literal = 0
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<"),
                let end = bytes[index...].firstIndex(of: UInt8(ascii: ">"))
            else {
                index += 1
                continue
            }
            parts.append(.literal(bytes[literal..<index]))
            let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
            parts.append(.placeholder(name))
            index = end + 1
            literal = index
        }
        parts.append(.literal(bytes[literal...]))
    }

    /// The bytes to send: remembered text, bytes that cannot be written down, and long lines.
    func expand(_ memory: [String: String]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .literal(let literal): bytes += literal
            case .placeholder(let name):
                let words = name.split(separator: " ")
                if let text = memory[name] {
                    bytes += text.utf8
                } else if words.count == 2, words[0] == "byte",
                    let byte = UInt8(words[1], radix: 16)
                {
                    bytes.append(byte)
                } else if words.count == 2, words[1] == "bytes", let count = Int(words[0]) {
                    bytes += [UInt8](repeating: UInt8(ascii: "x"), count: count)
                } else {
                    throw TestFailure("<\(name)> is nothing that can be sent here")
                }
            }
        }
        return bytes
    }

    /// Throws unless a line fits; remembers what has a name.
    func match(_ line: String, _ memory: inout [String: String]) throws {
        let bytes = Array(line.utf8)
        var rest = bytes[...]
        for part in parts {
            switch part {
            case .literal(let literal):
                guard rest.starts(with: literal) else { throw mismatch(literal, rest) }
                rest = rest.dropFirst(literal.count)
            case .placeholder(let name):
                let kind = name.split(separator: "-", maxSplits: 1)
                let count = try length(of: String(kind[0]), in: rest)
                let text = String(decoding: rest.prefix(count), as: UTF8.self)
                if kind.count == 2 {
                    guard memory[name] == nil || memory[name] == text else {
                        throw TestFailure("<\(name)> was \(memory[name] ?? ""), is now \(text)")
                    }
                    memory[name] = text
                }
                rest = rest.dropFirst(count)
            }
        }
        guard rest.isEmpty else { throw mismatch([], rest) }
    }

    private func mismatch(_ expected: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>) -> TestFailure {
        let common = zip(expected, rest).prefix { $0.0 == $0.1 }.count
        func text(_ bytes: ArraySlice<UInt8>) -> String {
            String(decoding: bytes.dropFirst(common).prefix(120), as: UTF8.self)
        }
        return TestFailure("expected …\(text(expected)), got …\(text(rest))")
    }

    /// How many bytes a kind of text takes of what is left of a line.
    private func length(of kind: String, in rest: ArraySlice<UInt8>) throws -> Int {
        let digits = { (bytes: ArraySlice<UInt8>) in
            bytes.prefix { (0x30...0x39).contains($0) }.count
        }
        var count = 0
        switch kind {
        case "number": count = digits(rest)
        case "epoch" where Self.isEpoch(rest.prefix(16)): count = 16
        case "cursor" where Self.isEpoch(rest.prefix(16)) && rest.dropFirst(16).first == 0x3A:
            let revision = digits(rest.dropFirst(17))
            count = revision > 0 ? 17 + revision : 0
        case "object": count = Self.object(rest)
        case let kind where kind.hasSuffix(" movies"):
            let wanted = Int(kind.prefix { $0.isNumber }) ?? 0
            for index in 0..<wanted {
                if index > 0, rest.dropFirst(count).first == UInt8(ascii: ",") { count += 1 }
                let movie = Self.object(rest.dropFirst(count))
                guard movie > 0 else { return try length(of: "", in: rest) }
                count += movie
            }
        default: break
        }
        guard count > 0 else {
            throw TestFailure(
                "no <\(kind)> is …\(String(decoding: rest.prefix(80), as: UTF8.self))")
        }
        return count
    }

    private static func isEpoch(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 16
            && bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The length of the JSON object at the start; 0 if there is none.
    private static func object(_ bytes: ArraySlice<UInt8>) -> Int {
        guard bytes.first == UInt8(ascii: "{") else { return 0 }
        var depth = 0
        var isText = false
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            if isText {
                if !isEscaped, byte == UInt8(ascii: "\"") { isText = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "}"): depth -= 1
                default: break
                }
            }
            if depth == 0 { return index + 1 }
        }
        return 0
    }
}
