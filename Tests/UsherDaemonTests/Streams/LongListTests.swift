// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Stock line readers stop at 65,536 bytes: no line may be longer, however long a list is.
@Suite(.timeLimit(.minutes(5))) struct `A list of 10,000 movies` {
    @Test func `is loaded, read, pushed and resumed in lines that any reader takes`() throws {
        let file = try MovieFile(count: 10_000, overviewBytes: 1_400)
        let daemon = try RunningDaemon(
            RunningDaemon.demo + ["--movies", "file:\(file.path)"], store: "memory")
        let client = try daemon.connect()
        let early = Replica("movies", mode: "latest", on: try daemon.connect())
        try early.subscribe()
        for page in 1...500 {
            try client.send("more")
            let line = try #require(try client.line())
            #expect(
                line.hasPrefix(
                    #"{"jsonrpc":"2.0","id":\#(page),"result":{"list":"popular","offset":\#((page - 1) * 20),"#
                ))
        }
        #expect(try client.ask("more").reason == "end_of_list")

        let all = Array(1...10_000)
        let list = try client.wholeList()
        #expect(list.movies == all)
        #expect(list.status["complete"].boolean == true)

        // Who was there from the start got each page once; who comes late gets it in parts.
        try early.catchUp()
        #expect(early.movies == all && early.cursor == list.cursor)
        let late = Replica("movies", mode: "latest", on: try daemon.connect())
        try late.subscribe()
        #expect(late.movies.count < 100)
        #expect(late.cursor?.hasSuffix(":0") == true)
        // It is cut off between parts, and gets what it has again, since a part changes nothing twice.
        for _ in 0..<3 { try late.takeLine() }
        late.client.close()
        #expect(try late.subscribe(on: daemon.connect()) == nil)
        try late.catchUp()
        #expect(late.movies == all && late.status == list.status && late.cursor == list.cursor)
        for longest in [client, early.client, late.client].map(\.longestLine) {
            #expect(longest <= 65_536)
            #expect(longest > 30_000)
        }

        // One more change is one more push.
        let before = (early.pushes, late.pushes)
        #expect(
            try client.ask(
                #"{"id":1,"method":"subscribe","params":{"topic":"movies","since":"\#(list.cursor ?? "")"}}"#
            )["result", "recovered"].boolean == true)
        _ = try client.ask("refresh")
        while try client.json()["params", "data", "op"].string != "reset" {}
        try early.catchUp()
        try late.catchUp()
        #expect((early.pushes - before.0, late.pushes - before.1) == (2, 2))
        #expect(early.movies == Array(1...20) && late.movies == early.movies)
    }

    @Test func `with films as large as films can be comes a few at a time`() throws {
        let file = try MovieFile(count: 60, overviewBytes: 16_200)
        let client = try RunningDaemon(
            RunningDaemon.demo + ["--movies", "file:\(file.path)"]
        ).connect()
        for page in 1...3 {
            let reply = try client.ask("more")["result"]
            // The page is there whole; what did not fit the line is fetched from where it ends.
            #expect(reply["total"].integer == page * 20)
            #expect(reply["items"].array.count == 3)
            #expect(reply["next"].integer == (page - 1) * 20 + 3)
        }
        #expect(try client.wholeList().movies == Array(1...60))
        #expect(client.longestLine <= 65_536)
    }
}
