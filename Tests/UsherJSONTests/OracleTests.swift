// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherJSON

/// Makes random documents and the lines that stand for them.
private struct DocumentMaker {
    var random: SeededGenerator

    mutating func document(depth: Int) -> Document {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .boolean(.random(using: &random))
        case 2: return .integer(integer())
        case 3: return .number
        case 4: return .text(text())
        case 5, 6:
            let count = Int.random(in: 0...5, using: &random)
            return .array((0..<count).map { _ in document(depth: depth - 1) })
        default:
            let count = Int.random(in: 0...20, using: &random)
            // Foundation's dictionaries keep one of two keys that are the same.
            var keys: Set<String> = []
            return .object(
                (0..<count).compactMap { _ in
                    let key = text()
                    guard keys.insert(key).inserted else { return nil }
                    return Document.Member(key, document(depth: depth - 1))
                })
        }
    }

    private mutating func integer() -> Int64 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: [0, 1, -1, .min, .max, 1 << 53].randomElement(using: &random) ?? 0
        case 1: .random(in: .min ... .max, using: &random)
        default: .random(in: -1_000...1_000, using: &random)
        }
    }

    private mutating func text() -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "b", "\"", "\\", "/", "\n", "\u{1}", "\u{7F}", "\u{85}", "é", "\u{301}",
            "\u{2028}", "中", "🎬", "\u{10FFFF}", "{", "[", ",", ":", " ",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            text.append(alphabet.randomElement(using: &random) ?? "a")
        }
        return String(text)
    }

    // MARK: Lines

    mutating func line(_ document: Document) -> String {
        blank() + bare(document) + blank()
    }

    private mutating func bare(_ document: Document) -> String {
        switch document {
        case .null: return "null"
        case .boolean(let flag): return flag ? "true" : "false"
        case .integer(let number): return String(number)
        case .number:
            return ["0.5", "-1.25e1", "1e-10", "3E-2"].randomElement(using: &random) ?? "0.5"
        case .string(let text): return quoted(text)
        case .array(let elements):
            return "[" + elements.map { line($0) }.joined(separator: ",") + blank() + "]"
        case .object(let members):
            let lines = members.map { blank() + quoted($0.key) + blank() + ":" + line($0.value) }
            return "{" + lines.joined(separator: ",") + blank() + "}"
        }
    }

    private mutating func blank() -> String {
        ["", "", "", " ", "\t", "\r\n "].randomElement(using: &random) ?? ""
    }

    private mutating func quoted(_ text: [Unicode.Scalar]) -> String {
        "\"" + text.map { written($0) }.joined() + "\""
    }

    private mutating func written(_ scalar: Unicode.Scalar) -> String {
        let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
        guard mustEscape || Int.random(in: 0..<4, using: &random) == 0 else {
            return String(Character(scalar))
        }
        return String(Character(scalar)).utf16.map { unit in
            let digits = String(unit, radix: 16, uppercase: .random(using: &random))
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

/// The same document as Foundation reads it, with the members of objects in an order of their own.
private func sorted(_ document: Document) -> Document {
    switch document {
    case .array(let elements): .array(elements.map(sorted))
    case .object(let members):
        .object(
            members.map { .init(string($0.key), sorted($0.value)) }
                .sorted { $0.key.lexicographicallyPrecedes($1.key) })
    default: document
    }
}

private func string(_ scalars: [Unicode.Scalar]) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
}

private func foundation(_ value: Any) -> Document {
    switch value {
    case let members as [String: Any]:
        sorted(.object(members.map { .init($0.key, foundation($0.value)) }))
    case let elements as [Any]: .array(elements.map(foundation))
    case let text as String: .text(text)
    case let number as NSNumber:
        if unsafe String(cString: number.objCType) == "c" {
            .boolean(number.boolValue)
        } else if number.stringValue == String(number.int64Value) {
            .integer(number.int64Value)
        } else {
            .number
        }
    default: .null
    }
}

struct OracleTests {
    /// A seed of its own for each run of the loops below; put a failing one here to see it alone.
    private static let seeds = UInt64(0)..<2_000

    @Test func `Random documents are read as they were made, and as Foundation reads them`() throws
    {
        let parser = JSONParser.ofLines()
        for seed in Self.seeds {
            var maker = DocumentMaker(random: SeededGenerator(seed: seed))
            let document = maker.document(depth: 4)
            let line = maker.line(document)
            try #require(line.utf8.count <= 65_536, "seed \(seed)")
            #expect(try parser.document(Array(line.utf8)) == document, "seed \(seed): \(line)")
            #expect(try parser.duplicate(in: line) == nil, "seed \(seed): \(line)")
            let theirs = try JSONSerialization.jsonObject(
                with: Data(line.utf8), options: .fragmentsAllowed)
            #expect(foundation(theirs) == sorted(document), "seed \(seed): \(line)")
        }
    }

    @Test func `What Foundation takes and this does not has a reason, and there is no reverse`() {
        let parser = JSONParser.ofLines()
        var reasons: [String: Int] = [:]
        for seed in Self.seeds {
            var maker = DocumentMaker(random: SeededGenerator(seed: seed))
            let document = maker.document(depth: 3)
            let whole = Array(maker.line(document).utf8)
            for _ in 0..<4 {
                let line = maker.damaged(whole)
                let text = String(decoding: line, as: UTF8.self)
                let refusal = parser.refusal(of: line)
                let theirs = try? JSONSerialization.jsonObject(
                    with: Data(line), options: .fragmentsAllowed)
                guard (theirs != nil) != (refusal == nil) else {
                    reasons[theirs == nil ? "refused by both" : "taken by both", default: 0] += 1
                    continue
                }
                let reason = explanation(theirs, refusal, text)
                #expect(reason != nil, "seed \(seed): \(text.debugDescription)")
                reasons[reason ?? "", default: 0] += 1
            }
        }
        // The damage must have made enough of each for the comparison to mean something.
        #expect(reasons["taken by both", default: 0] > 1_000)
        #expect(reasons["refused by both", default: 0] > 1_000)
        #expect(reasons["integer beyond 64 bits", default: 0] > 0)
        #expect(reasons["comma before ]", default: 0] > 0)
    }

    /// Why Foundation takes a line that is refused here; nil if there is no rule for it.
    private func explanation(
        _ theirs: Any?, _ refusal: JSONSyntaxError?, _ line: String
    ) -> String? {
        guard theirs != nil else { return nil }
        func has(_ pattern: Regex<Substring>) -> Bool {
            // As a Character, CR LF is neither of the two.
            line.contains(pattern.matchingSemantics(.unicodeScalar))
        }
        switch refusal {
        // Foundation rounds them; an id or a user's number must never be rounded.
        case .badNumber where has(/[0-9]{19,}/): return "integer beyond 64 bits"
        // RFC 8259 has no such comma.
        case .malformed where has(/,[ \t\r\n]*\]/): return "comma before ]"
        case .malformed where has(/,[ \t\r\n]*\}/): return "comma before }"
        default: return nil
        }
    }
}

extension DocumentMaker {
    /// The line with a byte put in, taken away or replaced.
    fileprivate mutating func damaged(_ line: [UInt8]) -> [UInt8] {
        let bytes: [UInt8] =
            Array("{}[]\",:\\/ -+.eE0123456789tfnu\n\t".utf8) + [
                0x00, 0x01, 0x7F, 0x80, 0xC3, 0xED, 0xA0, 0xEF, 0xBB, 0xBF, 0xF4, 0xFF,
            ]
        var line = line
        let byte = bytes.randomElement(using: &random) ?? 0
        let place = Int.random(in: 0...line.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: line.insert(byte, at: place)
        case 1 where place < line.count: line.remove(at: place)
        case 2 where place < line.count: line[place] = byte
        default: line.removeLast(Int.random(in: 0...line.count, using: &random))
        }
        return line
    }
}
