// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// How a service can fail, what those who asked are told, and how long the test lets it.
struct UpstreamFault: CustomTestStringConvertible, Sendable {
    let step: String
    let reason: String
    let says: String
    var retryAfter: Int?

    var testDescription: String { step }

    init(_ step: String, _ reason: String, _ says: String, retryAfter: Int? = nil) {
        self.step = step
        self.reason = reason
        self.says = says
        self.retryAfter = retryAfter
    }

    static let all: [UpstreamFault] = [
        UpstreamFault("hang", "timeout", "did not answer in time"),
        UpstreamFault("hang_in_body", "timeout", "did not end within"),
        UpstreamFault("drip", "timeout", "did not end within"),
        UpstreamFault("limited=0", "upstream_failed", "asked too often", retryAfter: 0),
        UpstreamFault("limited=3600", "upstream_failed", "asked too often", retryAfter: 200),
        UpstreamFault("limited=soon", "upstream_failed", "asked too often"),
        UpstreamFault("unavailable=3600", "upstream_failed", "HTTP 503", retryAfter: 200),
        UpstreamFault("status=500", "upstream_failed", "HTTP 500"),
        UpstreamFault("html=502", "upstream_failed", "HTTP 502"),
        UpstreamFault("html", "upstream_failed", "a web page instead of JSON"),
        UpstreamFault("bomb", "upstream_failed", "is larger than 2097152 bytes"),
        UpstreamFault("bare_bomb", "upstream_failed", "is larger than 2097152 bytes"),
        UpstreamFault("huge", "upstream_failed", "is larger than 2097152 bytes"),
        UpstreamFault("huge=said", "upstream_failed", "is larger than 2097152 bytes"),
        UpstreamFault("many_headers", "upstream_failed", "is larger than 2097152 bytes"),
        UpstreamFault("cut", "upstream_failed", "broke before the answer was complete"),
        UpstreamFault("short", "upstream_failed", "not the page"),
        UpstreamFault("damaged_gzip", "upstream_failed", "cannot be decompressed"),
        UpstreamFault("damaged_gzip=said", "upstream_failed", "cannot be decompressed"),
        UpstreamFault("redirect", "upstream_failed", "points elsewhere"),
        UpstreamFault("redirect=file:///etc/passwd", "upstream_failed", "points elsewhere"),
        UpstreamFault("redirect=http://other.test/", "upstream_failed", "points elsewhere"),
        UpstreamFault("noise", "upstream_failed", "does not answer in HTTP"),
        UpstreamFault("reset", "upstream_failed", "broke before the answer was complete"),
        UpstreamFault("nothing", "upstream_failed", "broke before the answer was complete"),
        UpstreamFault("empty", "upstream_failed", "an empty answer"),
        UpstreamFault("unchanged", "upstream_failed", "nothing changed (HTTP 304), unasked"),
        UpstreamFault(
            "status=401:{\"status_code\":7}", "upstream_auth",
            "refused the v3 key from TMDB_API_KEY (HTTP 401, code 7)"),
        UpstreamFault("status=403", "upstream_failed", "refused (HTTP 403)"),
    ]

    /// Whether it takes until a time limit.
    var isSlow: Bool { reason == "timeout" }
}

@Suite(.timeLimit(.minutes(5))) struct `A movie service that fails` {
    /// No further tries, so that a test need not wait for them: they have tests of their own.
    private func theatre(_ steps: [String], isSlow: Bool) throws -> Theatre {
        try Theatre(
            steps,
            limits: ["retries=0", "retry_after_ms=200"] + (isSlow ? ["try_ms=400"] : []))
    }

    @Test(arguments: UpstreamFault.all)
    func `keeps the list and shows the error, holds nobody up, and is asked again`(
        fault: UpstreamFault
    ) throws {
        let theatre = try theatre(["page", "broken=\(fault.step)"], isSlow: fault.isSlow)
        #expect(try theatre.more()["result", "total"].integer == 3)
        _ = try theatre.pushes()

        let waiting = try theatre.daemon.connect()
        try waiting.send("more")
        repeat {
            #expect(try theatre.client.ask("ping")["result"] != .null)
        } while !waiting.isReadable
        let reply = try waiting.json()
        #expect(reply.reason == fault.reason)
        #expect(reply["error", "data", "retryable"].boolean == (fault.reason != "upstream_auth"))
        #expect(reply["error", "data", "retry_after_ms"].integer == fault.retryAfter)
        let message = try #require(reply["error", "message"].string)
        #expect(message.contains(fault.says), "\(message)")

        let pushes = try theatre.pushes()
        #expect(pushes.allSatisfy { $0["items"].array.isEmpty })
        let list = try theatre.client.wholeList()
        #expect(list.movies == [1, 2, 3])
        #expect(list.status["phase"].string == "error")
        #expect(list.status["message"].string == message)
        #expect(pushes.last?["status"] == list.status)

        try theatre.openGate()
        let next = try theatre.more()
        #expect(next["result", "total"].integer == 5, "\(next)")
        #expect(try theatre.client.wholeList().movies == [1, 2, 3, 4, 5])
        try theatre.checkSecrecy()
    }

    // That nothing changed is no fault there: the first page is known, and asked about.
    @Test(arguments: UpstreamFault.all.filter { $0.step != "unchanged" })
    func `leaves a list as it was that is to begin anew`(fault: UpstreamFault) throws {
        let theatre = try theatre(["page", "broken=\(fault.step)"], isSlow: fault.isSlow)
        #expect(try theatre.more()["result", "total"].integer == 3)
        _ = try theatre.pushes()
        _ = try theatre.client.ask("refresh")
        let pushes = try theatre.pushes { $0["status", "phase"].string == "error" }
        #expect(pushes.allSatisfy { $0["op"].string == "append" && $0["items"].array.isEmpty })
        #expect(try theatre.client.wholeList().movies == [1, 2, 3])
        #expect(pushes.last?["status", "message"].string?.contains(fault.says) == true)
    }

    @Test func `has a deadline for all its tries`() throws {
        let theatre = try Theatre(
            ["hang"], limits: ["try_ms=200", "deadline_ms=700", "retries=10"])
        #expect(try theatre.more().reason == "timeout")
        #expect((2...4).contains(try theatre.requests().count))
        #expect(try theatre.client.ask("movies")["result", "status", "phase"].string == "error")
    }

    @Test(arguments: ["hang", "hang_in_body", "drip", "status=500"])
    func `costs no processor time while it does`(step: String) throws {
        let theatre = try Theatre(
            [step], limits: ["circuit_failures=1", "retries=0", "circuit_open_ms=60000"])
        let waiting = try theatre.daemon.connect()
        try waiting.send("more")
        try theatre.waitForRequests(1)
        if step == "status=500" { _ = try waiting.line() }
        _ = try theatre.client.ask("ping")
        let before = try theatre.daemon.processorMilliseconds
        usleep(500_000)
        // One that spins uses most of this half second.
        #expect(try theatre.daemon.processorMilliseconds - before <= 50)
    }

    @Test func `is left alone, which all are told and the log has once, until it answers`() throws {
        let theatre = try Theatre(
            ["broken=status=503"],
            limits: ["circuit_failures=2", "retries=0", "circuit_open_ms=400"])
        #expect(try theatre.counters()["circuit", "state"].string == "closed")
        for _ in 0..<2 { #expect(try theatre.more().reason == "upstream_failed") }
        for _ in 0..<5 {
            let reply = try theatre.more()
            #expect(reply.reason == "upstream_failed")
            #expect(reply["error", "data", "retryable"].boolean == true)
            #expect((1...400).contains(reply["error", "data", "retry_after_ms"].integer ?? 0))
            #expect(reply["error", "message"].string?.contains("keeps failing") == true)
        }
        #expect(try theatre.requests().count == 2)
        let circuit = try theatre.counters()["circuit"]
        #expect(circuit["state"].string == "open")
        #expect(circuit["opened"].integer == 1 && circuit["refused"].integer == 5)
        try theatre.openGate()
        let hasRecovered = try eventually { try theatre.more()["result", "total"].integer == 3 }
        #expect(hasRecovered)
        #expect(try theatre.counters()["circuit", "state"].string == "closed")
        #expect(theatre.daemon.terminate() == 0)
        let log = theatre.daemon.log.text
        #expect(log.split(separator: "is left alone for").count == 2)
        #expect(log.split(separator: "is asked again").count == 2)
        #expect(log.split(separator: "answers again").count == 2)
        // The refusals are not news.
        #expect(!log.contains("keeps failing"))
    }

    @Test func `without a trusted certificate says so; with it the list comes`() throws {
        let secure: (HTTPTestServer, String) -> String? = {
            "https://localhost:\($0.securePort)/page/\($1)"
        }
        let theatre = try Theatre([], address: secure)
        let error = try theatre.more()["error", "message"].string
        #expect(error?.contains("is not trusted") == true && error?.contains("CA file") == true)
        #expect(try theatre.requests().isEmpty)
        let trusting = try Theatre(
            [], options: ["--ca-file", HTTPTestServer.shared.certificateFile], address: secure)
        #expect(try trusting.more()["result", "total"].integer == 3)
        let plain = try Theatre([], limits: ["retries=0"]) { server, token in
            "https://127.0.0.1:\(server.port)/page/\(token)"
        }
        #expect(try plain.more()["error", "message"].string?.contains("(TLS)") == true)
    }

    @Test func `and comes back after the daemon's start is asked again, without a restart`() throws
    {
        // A port that nobody listens on yet.
        let port = try FreePort()
        let theatre = try Theatre([], limits: ["retries=0"]) { _, token in
            "http://127.0.0.1:\(port.number)/page/\(token)"
        }
        #expect(try theatre.more()["error", "message"].string?.contains("cannot connect") == true)
        let late = try port.serve()
        #expect(try theatre.more()["result", "total"].integer == 3)
        late.kill()
    }
}

/// A port of this machine that nobody listens on, for a server that comes late.
private struct FreePort {
    let number: Int

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, size) == 0 ? getsockname(socket, $0, &size) : -1
            }
        }
        guard status == 0 else { throw TestFailure("no free port") }
        number = Int(in_port_t(bigEndian: address.sin_port))
    }

    /// Serves on it what the test server serves.
    func serve() throws -> ChildProcess {
        let forward = """
            import socket, threading
            listener = socket.create_server(("127.0.0.1", \(number)))
            print("serving", flush=True)
            def pour(source, target):
                while piece := source.recv(65536): target.sendall(piece)
            while True:
                here, _ = listener.accept()
                there = socket.create_connection(("127.0.0.1", \(HTTPTestServer.shared.port)))
                for ends in ((here, there), (there, here)):
                    threading.Thread(target=pour, args=ends, daemon=True).start()
            """
        let process = try ChildProcess(
            "/usr/bin/env", ["python3", "-c", "import sys; sys.stdout = sys.stderr\n" + forward],
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"])
        guard process.log.wait(for: "serving") else {
            throw TestFailure("the late server did not start: \(process.log.text)")
        }
        return process
    }
}
