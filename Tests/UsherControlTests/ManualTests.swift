// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Testing
internal import UsherControl

struct `The manual of usherctl` {
    private let text: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(
            contentsOf: root.appending(path: "packaging/man/usherctl.1"), encoding: .utf8)
    }

    @Test func `has every command, in the order of help`() {
        let commands = text.matches(of: /\n\.It Cm ([a-z ]+?)(?= Ar| Op|\n)/).map { String($0.1) }
        #expect(commands == CommandTable.entries.map { $0.words.joined(separator: " ") })
    }

    @Test func `has every option, in the order of help`() {
        let options = text.matches(of: /\n\.It (?:Fl . , )?Fl Fl ([a-z-]+)/).map { String($0.1) }
        #expect(options == ControlOptions.rows.map(\.name))
    }

    @Test func `has every metric`() throws {
        let everything = """
            {"uptime_ms":1,"loop_lag_ms":1,"clients":{"connected":1,"subscriptions":1,"accepted":1,\
            "refused":1,"lost":1,"refused_without_descriptor":1},"evictions":{"a":1},\
            "requests":{"started":1,"errors":{"a":1}},"pushes":{"sent":1,"skipped":1,"resumes":1},\
            "store":{"commits":1,"transactions":1,"failures":1,"probes":1,"degraded":true},\
            "users":{"responses":{"200":1},"retries":1,"delayed":1,"crowded_out":1,"expired":1,\
            "unchanged":1,"remembered":1,"circuit":{"state":"open","opened":1,"probes":1,\
            "refused":1},"body_bytes":1,"dropped_rows":1,"duplicate_rows":1,"repaired_fields":1,\
            "repaired_records":1}}
            """
        let lines = try #require(Report.metrics(everything, version: "1").text)
        let names = lines.filter { $0.hasPrefix("# TYPE") }.map { $0.split(separator: " ")[2] }
        #expect(names.count == 36)
        for name in names { #expect(text.contains(name), "\(name)") }
    }
}
