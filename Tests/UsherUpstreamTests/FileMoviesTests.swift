// Part of Usher. SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import UsherWire

@testable import UsherUpstream

@Suite(.timeLimit(.minutes(5))) struct FileMoviesTests {
    private let path = FileManager.default.temporaryDirectory
        .appending(path: "usher-movies-\(UUID().uuidString).json").path

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    private func films(_ ids: ClosedRange<Int>) -> String {
        ids.map { "{\"id\":\($0),\"title\":\"Film \($0)\"}" }.joined(separator: ",")
    }

    private func withService(_ body: (TestLoop, FileMovies) throws -> Void) throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try withTestLoop { test in
            let service = FileMovies(on: test.loop, path: path)
            defer { service.close() }
            try body(test, service)
        }
    }

    private func fetch(
        _ service: FileMovies, _ page: Int, on test: TestLoop
    ) throws -> Result<FetchedPage, UpstreamError> {
        try test.wait { done in service.fetch(.popular, page: page, completion: done) }
    }

    @Test func `An array of films is served in pages of twenty`() throws {
        try withService { test, service in
            try write("[\(films(1...45))]")
            let pages = try (1...4).map { try fetch(service, $0, on: test) }
            #expect(try pages[0].get().movies.map(\.id) == Array(1...20))
            #expect(try pages[1].get().movies.map(\.id) == Array(21...40))
            #expect(try pages[2].get().movies.map(\.id) == Array(41...45))
            #expect(try pages[0].get().pages == 3)
            #expect(pages[3].failure == UpstreamError(.endOfList, "the list has no page 4"))
        }
    }

    @Test func `A page as TMDB sends it is a file of films too`() throws {
        try withService { test, service in
            try write("{\"page\":7,\"results\":[\(films(1...2)),{\"id\":0}],\"total_pages\":9}")
            let page = try fetch(service, 1, on: test).get()
            #expect(page.movies.map(\.id) == [1, 2])
            #expect(page.pages == 1)
            #expect(page.droppedRows == 1)
            #expect(service.counters.droppedRows == 1)
        }
    }

    @Test func `Page 1 reads the file again, other pages do not`() throws {
        try withService { test, service in
            try write("[\(films(1...30))]")
            #expect(try fetch(service, 2, on: test).get().movies.map(\.id) == Array(21...30))
            try write("[\(films(101...125))]")
            #expect(try fetch(service, 2, on: test).get().movies.map(\.id) == Array(21...30))
            #expect(try fetch(service, 1, on: test).get().movies.first?.id == 101)
            #expect(try fetch(service, 2, on: test).get().movies.map(\.id) == Array(121...125))
        }
    }

    @Test func `A missing file, a folder and a large file are told apart`() throws {
        try withService { test, service in
            let missing = try #require(try fetch(service, 1, on: test).failure)
            #expect(missing.kind == .unreadable)
            #expect(
                missing.message
                    == "the movies cannot be read from \(path): there is no such file")
            try write(String(repeating: " ", count: FileMovies.fileBytes + 1))
            let large = try #require(try fetch(service, 1, on: test).failure)
            #expect(large.message.hasSuffix("it is larger than 16777216 bytes"))
        }
        try withTestLoop { test in
            for place in ["/tmp", "/dev/zero"] {
                let service = FileMovies(on: test.loop, path: place)
                let error = try #require(try fetch(service, 1, on: test).failure)
                #expect(error.message.hasSuffix("it is not a regular file"))
            }
        }
    }

    @Test(arguments: [
        "", "7", "<html>", "[{\"id\":1,", "{\"movies\":[]}", "{\"results\":7}",
        "[[1],", #"{"page":"1","results":[]}"#, #"{"total_pages":1.5,"results":[]}"#,
        String(repeating: "[", count: 513),
    ])
    func `A file that holds no films says what it should hold`(text: String) throws {
        try withService { test, service in
            try write(text)
            let error = try #require(try fetch(service, 1, on: test).failure)
            #expect(error.kind == .badReply)
            #expect(error.message.contains("neither a JSON array of films nor an object"))
        }
    }

    @Test(arguments: [
        #"[{"id":1,"title":"a"},{"id":2,"title":"b"},]"#,
        #"[{"id":1,"title":"a","overview":"\ud800"},7,{"id":2,"title":"b","vote_count":1e999,},]"#,
        #"{"results":[{"id":1,"title":"a"},"\x",{"id":2,"title":"b"}],"page":null,"x":[07]}"#,
    ])
    func `A film or a value that is broken costs no other film`(text: String) throws {
        try withService { test, service in
            try write(text)
            #expect(try fetch(service, 1, on: test).get().movies.map(\.id) == [1, 2])
        }
    }

    @Test func `Bad rows only are an error, no rows are an end`() throws {
        try withService { test, service in
            try write("[{},{}]")
            let bad = try #require(try fetch(service, 1, on: test).failure)
            #expect(bad.message.hasPrefix("none of the 2 films in "))
            try write("[]")
            #expect(try fetch(service, 1, on: test).failure?.kind == .endOfList)
        }
    }

    @Test func `Closing abandons a reading`() throws {
        try withService { test, service in
            try write("[\(films(1...1))]")
            var hasCompleted = false
            service.fetch(.popular, page: 1) { _ in hasCompleted = true }
            service.close()
            test.run(forMilliseconds: 20)
            #expect(!hasCompleted)
        }
    }
}
