// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherOptions
import UsherWire

@testable import UsherDaemon

/// A page of the manual.
private func page(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "packaging/man/\(name)"), encoding: .utf8)
}

struct `The manual` {
    @Test func `of usherd has every option, in the order of help`() throws {
        let text = try page("usherd.8")
        let names = text.matches(of: /\n\.It (?:Fl . , )?Fl Fl ([a-z-]+)/).map { String($0.1) }
        let help = ConfigurationSource.help.matches(of: /--([a-z-]+)/).map { String($0.1) }
        #expect(names == help)
    }

    @Test func `of the configuration has every setting and every limit`() throws {
        let text = try page("usherd.conf.5")
        let names = text.matches(of: /\n\.It Cm ([a-z-]+) No =/).map { String($0.1) }
        #expect(names == Configuration.settings.map(\.option.name))
        for limit in Limits.settable { #expect(text.contains("\n.It Cm \(limit.name)\n")) }
        for limit in UpstreamLimits.settable {
            #expect(text.contains("\n.It Cm \(limit.name)\n\(limit.meaning)\n"))
        }
    }

    @Test func `comes with an example that usherd takes`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
        let example = root.appending(path: "../../packaging/usherd.conf").standardized
        let text = try String(contentsOf: example, encoding: .utf8)
        // With its examples in force, too, where they have a value.
        let names = Configuration.settings.map(\.option.name)
        let active = text.split(separator: "\n").compactMap { line -> String? in
            let name = line.dropFirst().prefix { $0 != " " }
            guard line.hasPrefix("#"), names.contains(String(name)) else { return nil }
            return line.hasSuffix("=") ? nil : String(line.dropFirst())
        }
        #expect(active.count >= 4)
        for (index, content) in [text, active.joined(separator: "\n")].enumerated() {
            let file = FileManager.default.temporaryDirectory
                .appending(path: "ush-\(UUID().uuidString)-\(index)")
            try Data(content.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let source = ConfigurationSource(
                ["usherd", "-c", file.path], environment: [:], uid: 1_000)
            _ = try source.read()
        }
    }
}
