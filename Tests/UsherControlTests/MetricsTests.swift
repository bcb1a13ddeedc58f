// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing
internal import UsherControl

@Suite(.timeLimit(.minutes(5))) struct `Metrics` {
    private let statistics = """
        {"uptime_ms":1500,"clients":{"connected":2,"accepted":9},"store":{"degraded":true},\
        "requests":{"started":7,"errors":{"busy":1,"not_found":2}},\
        "users":{"responses":{"0":3,"200":4},"retries":5},"movies":{"responses":{},"retries":6}}
        """

    @Test func `are named, typed and scaled as Prometheus wants`() throws {
        let lines = try #require(Report.metrics(statistics, version: "1.2 \"x\"").text)
        #expect(lines[2] == "usherd_build_info{version=\"1.2 \\\"x\\\"\"} 1")
        #expect(lines[3...5].last == "usherd_uptime_seconds 1.5")
        #expect(lines.contains("usherd_clients 2"))
        #expect(lines.contains("usherd_store_degraded 1"))
        #expect(lines.contains("# TYPE usherd_requests_total counter"))
        #expect(lines.contains("usherd_errors_total{reason=\"not_found\"} 2"))
    }

    @Test func `of both services are one family`() throws {
        let lines = try #require(Report.metrics(statistics, version: "1").text)
        let start = try #require(
            lines.firstIndex(of: "# TYPE usherd_upstream_responses_total counter"))
        #expect(
            lines[start + 1] == "usherd_upstream_responses_total{service=\"users\",code=\"0\"} 3")
        #expect(
            lines[start + 2] == "usherd_upstream_responses_total{service=\"users\",code=\"200\"} 4")
        #expect(lines[start + 3].hasPrefix("# HELP"))
    }

    @Test func `of a service that is left alone say so`() throws {
        let statistics = #"{"movies":{"circuit":{"state":"half_open","opened":2}}}"#
        let lines = try #require(Report.metrics(statistics, version: "1").text)
        let name = "usherd_upstream_circuit_state"
        #expect(
            lines.filter { $0.hasPrefix(name) } == [
                "\(name){service=\"movies\",state=\"closed\"} 0",
                "\(name){service=\"movies\",state=\"open\"} 0",
                "\(name){service=\"movies\",state=\"half_open\"} 1",
            ])
        #expect(lines.contains("# TYPE \(name) gauge"))
        #expect(lines.contains("usherd_upstream_circuit_opened_total{service=\"movies\"} 2"))
    }

    @Test func `that a daemon does not have are left out`() throws {
        let lines = try #require(Report.metrics("{}", version: "1").text)
        #expect(lines.count == 3)
    }

    @Test func `of a real daemon are well formed`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        _ = try client.ask("more")
        _ = try client.ask("nonsense")
        let outcome = try Outcome(["metrics", "--socket", daemon.socketPath])
        #expect(outcome.status == 0)
        let form = try Regex(
            #"(# (HELP|TYPE) usherd_\w+ .+)|(usherd_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [0-9.e+-]+)"#
        )
        for line in outcome.lines { #expect(try form.wholeMatch(in: line) != nil, "\(line)") }
        for name in [
            "usherd_requests_total", "usherd_errors_total", "usherd_pushes_total",
            "usherd_skipped_transitions_total", "usherd_resumes_total", "usherd_clients",
            "usherd_store_commits_total", "usherd_upstream_retries_total", "usherd_build_info",
            "usherd_upstream_circuit_state", "usherd_upstream_circuit_refused_total",
            "usherd_upstream_duplicate_rows_total", "usherd_upstream_repaired_fields_total",
        ] {
            #expect(outcome.lines.contains { $0.hasPrefix("# TYPE \(name) ") }, "\(name)")
        }
        #expect(
            outcome.lines.contains(
                #"usherd_upstream_circuit_state{service="movies",state="closed"} 1"#))
        let types = outcome.lines.filter { $0.hasPrefix("# TYPE") }
        #expect(Set(types).count == types.count)
    }

    @Test func `as JSON are the daemon's counters`() throws {
        let daemon = try RunningDaemon()
        let outcome = try Outcome(["metrics", "--json", "--socket", daemon.socketPath])
        #expect(try JSON(parsing: outcome.output)["uptime_ms"].integer != nil)
    }
}
