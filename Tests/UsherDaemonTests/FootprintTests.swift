// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The daemon's memory` {
    @Test func `has no Foundation in it`() throws {
        let daemon = try RunningDaemon()
        // By a handle, since a file of /proc has no size by which it could be read at once.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(daemon.pid)/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        #expect(maps.contains("/libuv"))
        #expect(!maps.contains("Foundation"))
    }

    @Test func `is free of what a large file was read with, however often it is read`() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let ballast = Array(repeating: "[0,\"x\"]", count: 400_000).joined(separator: ",")
        let file = folder.appending(path: "movies.json")
        try Data(#"{"results":[{"id":1,"title":"a"}],"ballast":[\#(ballast)]}"#.utf8).write(
            to: file)
        let daemon = try RunningDaemon(["--movies", "file:\(file.path)"])
        let client = try daemon.connect()
        _ = try client.ask("more")
        let before = try daemon.residentBytes
        // More often than there are threads that read.
        for _ in 0..<12 {
            _ = try client.ask("refresh")
            #expect(
                try eventually {
                    try client.ask("movies")["result", "status", "phase"].string == "idle"
                })
        }
        #expect(try daemon.hasGrown(from: before, byLessThan: 8 << 20))
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The daemon's processor time` {
    @Test func `is none when nobody asks any more, however fast requests came`() throws {
        let daemon = try RunningDaemon(RunningDaemon.demo + ["--busy-poll", "1000"])
        let client = try daemon.connect()
        for _ in 0..<500 { _ = try client.ask("ping") }
        let before = try daemon.processorMilliseconds
        // What is measured is that nothing happens, and that takes time.
        usleep(300_000)
        // It is counted in ticks of 10 ms.
        #expect(try daemon.processorMilliseconds - before <= 20)
    }
}
