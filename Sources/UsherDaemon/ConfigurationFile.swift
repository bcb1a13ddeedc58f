// Part of Usher. SPDX-License-Identifier: Apache-2.0

// A configuration file has the long options without their dashes, one a line: `name = value`. Blank lines and lines
// that begin with # say nothing; a value reaches to the end of its line. All mistakes of a file are told at once.

import UsherOptions
import UsherUpstream

/// A configuration that cannot be used: all that is wrong with it, and the status to exit with.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line each, with file and line where the mistake has one.
    package let problems: [String]
    package let status: Int32

    package var description: String { problems.joined(separator: "\n") }
}

/// A file of settings, and what stands in it.
struct ConfigurationFile {
    let path: String

    /// Bytes that a file may have.
    private static let maximumBytes = 65_536

    /// Applies the file to a configuration; nil if there is no such file, all mistakes otherwise.
    func apply(to configuration: inout Configuration) throws(ConfigurationError) -> Bool {
        let bytes: [UInt8]
        switch SmallFile.read(path, limit: Self.maximumBytes) {
        case .success(let file): bytes = file.bytes
        case .failure(.missing): return false
        case .failure(let failure):
            throw ConfigurationError(
                problems: [failure.error(path, what: "the configuration").message],
                status: StartError.noInput)
        }
        let settings = Configuration.settings
        var problems: [String] = []
        var seen: [String: Int] = [:]
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            do throws(UsageError) {
                guard let (name, value) = try Self.entry(line) else { continue }
                let setting = try Self.setting(name, settings)
                if let first = seen[name], !setting.isRepeatable {
                    throw UsageError("\(name) is set in line \(first) already")
                }
                seen[name] = index + 1
                try setting.option.apply(&configuration, value)
            } catch {
                problems.append("\(path):\(index + 1): \(Self.withoutDashes(error.message))")
            }
        }
        guard problems.isEmpty else {
            throw ConfigurationError(problems: problems, status: StartError.misconfigured)
        }
        return true
    }

    /// Name and value of a line; nil if it has none.
    private static func entry(
        _ bytes: ArraySlice<UInt8>
    ) throws(UsageError) -> (name: String, value: String)? {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw UsageError("the line is not valid UTF-8")
        }
        let line = trimmed(text[...])
        if line.isEmpty || line.hasPrefix("#") { return nil }
        guard !line.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }) else {
            throw UsageError("the line has a control character")
        }
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw UsageError("a line is NAME = VALUE, not \(line)")
        }
        return (trimmed(parts[0]), trimmed(parts[1]))
    }

    /// A text without the blanks around it; a line's CR is one of them.
    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { " \t\r".contains($0) }
        let rest = text.drop(while: isBlank)
        guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(rest[...last])
    }

    private static func setting(
        _ name: String, _ settings: [Setting]
    ) throws(UsageError) -> Setting {
        if let setting = settings.first(where: { $0.option.name == name }) { return setting }
        let names = settings.map(\.option.name)
        guard let nearest = EditDistance.nearest(to: name, among: names) else {
            throw UsageError(
                "there is no setting \(name); there are: \(names.joined(separator: ", "))")
        }
        throw UsageError("there is no setting \(name); did you mean \(nearest)?")
    }

    /// A message about an option, as a file's reader knows it.
    private static func withoutDashes(_ message: String) -> String {
        message.hasPrefix("--") ? String(message.dropFirst(2)) : message
    }
}
