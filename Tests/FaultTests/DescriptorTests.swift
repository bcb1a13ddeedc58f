// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Forty descriptors for eighty clients` {
    @Test func `leave the store and the services theirs, and nothing spins`() throws {
        let service = HTTPTestServer.shared.address("page", token: HTTPTestServer.makeToken())
        let daemon = try RunningDaemon(
            RunningDaemon.demo + ["--movies", "tmdb:\(service)"],
            environment: ["TMDB_API_KEY": "0123456789abcdef0123456789abcdef"],
            through: ["/usr/bin/prlimit", "--nofile=40"])
        let old = try daemon.connect()
        _ = try old.ask("watch user")
        var crowd = try (0..<80).map { _ in try daemon.connect() }
        // Until the daemon has dealt with all of them.
        #expect(
            try eventually {
                let clients = try old.ask(#"{"id":1,"method":"stats"}"#)["result", "clients"]
                return (clients["accepted"].integer ?? 0) + (clients["refused"].integer ?? 0)
                    + (clients["refused_without_descriptor"].integer ?? 0) >= 81
            })
        let before = try daemon.processorMilliseconds
        usleep(500_000)
        #expect(try daemon.processorMilliseconds - before < 50)

        #expect(try old.until(id: 2, #"{"id":2,"method":"user.fetch"}"#)["result"] != .null)
        #expect(
            try old.until(id: 3, #"{"id":3,"method":"user.rename","params":{"name":"Ada"}}"#)[
                "result"] != .null)
        #expect(
            try old.until(id: 4, #"{"id":4,"method":"movies.fetch"}"#)["result", "total"].integer
                == 3)
        #expect(!daemon.log.text.contains("Too many open files"))
        crowd.removeAll()
        #expect(try eventually { try daemon.connect().ask("ping")["result"] != .null })
    }
}

extension LineClient {
    /// Sends a request and passes over pushes until its answer comes.
    fileprivate func until(id: Int, _ line: String) throws -> JSON {
        try send(line)
        while true {
            let answer = try json()
            if answer["id"].integer == id { return answer }
        }
    }
}
