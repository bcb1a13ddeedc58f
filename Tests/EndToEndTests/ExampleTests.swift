// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The programs of the documentation, run beside a real daemon.
@Suite(.timeLimit(.minutes(5)))
struct ExampleTests {
    @Test(arguments: UserCard.allCases)
    func `A user card shows the fetch and the new name`(program: UserCard) throws {
        let daemon = try RunningDaemon(store: "memory")
        let card = try start(program.rawValue, "Grace", beside: daemon)
        #expect(card.log.wait(for: "Grace ("))
        card.kill()
    }

    @Test(arguments: MovieTable.allCases)
    func `A movie list fetches pages until there are enough`(program: MovieTable) throws {
        let daemon = try RunningDaemon(store: "memory")
        let table = try start(program.rawValue, "30", beside: daemon)
        #expect(table.waitForExit() == 0)
        let reply = try daemon.connect().ask("movies limit=1")
        #expect(reply["result", "total"].integer == 40)
        #expect(table.log.waitForEnd().contains("40 movies"))
    }

    @Test(arguments: MovieTable.allCases)
    func `A list that ends too early ends the program`(program: MovieTable) throws {
        let daemon = try RunningDaemon(store: "memory")
        let table = try start(program.rawValue, "1000", beside: daemon)
        #expect(table.waitForExit() == 0)
        let status = try daemon.connect().ask("movies limit=1")["result", "status"]
        #expect(status["complete"].boolean == true)
        let total = try #require(status["total"].integer)
        #expect(table.log.waitForEnd().contains("\n\(total) movies"))
    }

    enum UserCard: String, CaseIterable {
        case loop = "UserCardLoop"
        case view = "UserCardView"
        #if RxSwift
        case rx = "UserCardRx"
        #endif
    }

    enum MovieTable: String, CaseIterable {
        case loop = "MovieListLoop"
        case view = "MovieListView"
        #if RxSwift
        case rx = "MovieListRx"
        #endif
    }

    /// By `stdbuf`, since what a program prints into no terminal stays with it for a while.
    private func start(
        _ program: String, _ argument: String, beside daemon: RunningDaemon
    ) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/stdbuf", ["-oL", product(program).path, argument],
            environment: ["USHER_SOCKET": daemon.socketPath], logsOutput: true)
    }
}
