// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import UsherJSON
import UsherWire

/// What the writer writes is strict JSON on one line, and reads back as what was written.
struct TextOracle: Oracle {
    private let check = WrittenJSON()

    func check(_ input: [UInt8]) throws(Finding) {
        try checkString(String(decoding: input.prefix(4_096), as: UTF8.self))
        try checkNumbers(input)
    }

    private func checkString(_ text: String) throws(Finding) {
        var writer = JSONWriter()
        writer.string(text)
        let root = try check.parse(writer.bytes)
        try require(
            check.parser.kind(root) == .string
                && check.parser.string(root).utf8.elementsEqual(text.utf8),
            "\(shown(text.utf8)) came back as \(shown(check.parser.string(root).utf8))")
        let foundation = try? JSONSerialization.jsonObject(
            with: Data(writer.bytes), options: .fragmentsAllowed)
        try require(
            (foundation as? String).map { isFoundations($0, of: text) } == true,
            "Foundation reads another text: \(shown(writer.bytes))")
    }

    /// Takes the first 8 bytes as an integer and as a number.
    private func checkNumbers(_ input: [UInt8]) throws(Finding) {
        let bits = input.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let integer = Int64(bitPattern: bits)
        let number = Double(bitPattern: bits)
        var writer = JSONWriter()
        writer.integer(integer)
        var root = try check.parse(writer.bytes)
        try require(
            check.parser.kind(root) == .integer && check.parser.integer(root) == integer,
            "\(integer) is \(shown(writer.bytes))")
        writer.reset()
        writer.integer(bits)
        try require(writer.bytes == Array(bits.description.utf8), "\(bits) is written wrong")
        writer.reset()
        writer.number(number)
        root = try check.parse(writer.bytes)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        try require(
            number.isFinite ? Double(text) == number : check.parser.kind(root) == .null,
            "\(number) is \(text)")
    }
}

/// The rules for all that goes out.
struct WrittenJSON {
    let parser = JSONParser(capacity: Limits.lineBytes, depth: Limits.jsonDepth)

    /// Gives the outermost value of JSON that keeps to the rules.
    func parse(_ json: [UInt8]) throws(Finding) -> JSONNode {
        do throws(JSONSyntaxError) {
            try parser.parse(json.span)
        } catch {
            throw Finding(description: "not strict JSON (\(error)): \(shown(json))")
        }
        try require(
            parser.duplicateKey(in: parser.root) == nil, "a key stands twice: \(shown(json))")
        let text = String(decoding: json, as: UTF8.self)
        try require(
            text.unicodeScalars.allSatisfy { !Self.mayEndLine($0) },
            "a character that some readers end a line at: \(shown(json))")
        return parser.root
    }

    private static func mayEndLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
