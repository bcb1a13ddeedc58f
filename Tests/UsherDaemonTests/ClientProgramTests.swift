// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Reads a list page by page, and from a subscription until it is whole; prints how many films each gave.
private let asyncioProgram = """
    import asyncio, json, sys
    async def main():
        reader, writer = await asyncio.open_unix_connection(sys.argv[1])
        async def call(method, **params):
            writer.write(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\\n")
            return json.loads(await reader.readline())["result"]
        offset, count = 0, 0
        while offset is not None:
            page = await call("movies.get", offset=offset, limit=500)
            count += len(page["items"])
            offset = page["next"]
        start = await call("subscribe", topic="movies")
        pushed, more = len(start["snapshot"]["items"]), start.get("more")
        while more:
            push = json.loads(await reader.readline())["params"]
            pushed, more = pushed + len(push["data"]["items"]), push.get("more")
        print(count, pushed)
    asyncio.run(main())
    """

/// The same with a file's lines.
private let fileProgram = """
    import json, socket, sys
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    lines = connection.makefile("rw", encoding="utf-8")
    lines.write('{"id":1,"method":"subscribe","params":{"topic":"movies"}}\\n')
    lines.flush()
    start = json.loads(lines.readline())["result"]
    pushed, more = len(start["snapshot"]["items"]), start.get("more")
    while more:
        push = json.loads(lines.readline())["params"]
        pushed, more = pushed + len(push["data"]["items"]), push.get("more")
    print(pushed)
    """

/// The same with Node's readline, which also breaks lines at U+2028 and U+2029 that are not escaped.
private let nodeProgram = """
    const socket = require("net").connect(process.argv[1]);
    let pushed = 0;
    require("readline").createInterface({ input: socket }).on("line", line => {
        const message = JSON.parse(line);
        const part = message.result ?? message.params;
        pushed += (part.snapshot ?? part.data).items.length;
        if (!part.more) { console.log(pushed); socket.destroy(); }
    });
    socket.write('{"id":1,"method":"subscribe","params":{"topic":"movies"}}\\n');
    """

@Suite(.timeLimit(.minutes(5))) struct `Programs that were not made for it` {
    /// A daemon with a list of so many films of over a kilobyte, line separators in each.
    private func daemon(movies: Int) throws -> (RunningDaemon, MovieFile) {
        let file = try MovieFile(count: movies, overviewBytes: 1_300)
        let daemon = try RunningDaemon(
            RunningDaemon.demo + ["--movies", "file:\(file.path)"], store: "memory")
        let client = try daemon.connect()
        for _ in 0..<movies / 20 {
            try client.send("more")
            _ = try client.line()
        }
        return (daemon, file)
    }

    @Test func `socat shows a list grow`() throws {
        let daemon = try RunningDaemon()
        let (output, status) = try shell(
            #"printf 'movies\nmore\nmore\n' | socat -t 10 - UNIX-CONNECT:\#(daemon.socketPath)"#)
        let replies = try output.split(separator: "\n").map { try JSON(parsing: String($0)) }
        #expect(status == 0)
        #expect(replies.map { $0["result", "total"].integer } == [0, 20, 40])
    }

    @Test func `socat watches on after its input has ended, until it goes`() throws {
        let daemon = try RunningDaemon()
        let writer = try daemon.connect()
        _ = try writer.ask("fetch")
        let input = daemon.folder.path + "/input"
        let watcher = try ChildProcess.shell(
            "echo 'watch user movies' > \(input); "
                + "exec socat -t 86400 - UNIX-CONNECT:\(daemon.socketPath) < \(input)")
        #expect(watcher.log.wait(for: #""as":"movies""#))
        for name in ["Ada", "Bea"] {
            _ = try writer.ask("rename \(name)")
            #expect(watcher.log.wait(for: #""name":"\#(name)""#))
        }
        _ = try writer.ask("more")
        #expect(watcher.log.wait(for: #""op":"append""#))
        let stats = { try writer.ask("stats")["result", "clients", "connected"].integer }
        #expect(try stats() == 2)
        watcher.kill()
        var connected = try stats()
        for _ in 0..<20_000 where connected != 1 { connected = try stats() }
        #expect(connected == 1)
    }

    @Test func `nc gets the answer to a call that takes longer than its input`() throws {
        let daemon = try RunningDaemon(
            ["--users", "demo", "--demo-delay", "1", "--demo-failure-rate", "0"])
        let (output, _) = try shell("echo user.fetch | nc -N -U \(daemon.socketPath)")
        let reply = try JSON(parsing: output)
        #expect(reply["result", "state", "state"].string == "loaded")
        // A last line without its end.
        let (ping, _) = try shell("printf ping | nc -N -U \(daemon.socketPath)")
        #expect(try JSON(parsing: ping)["result", "uptime_ms"].integer != nil)
    }

    @Test func `Python's asyncio reads 10,000 movies with its default limit`() throws {
        let (daemon, file) = try daemon(movies: 10_000)
        let (output, status) = try shell(
            "timeout 60 python3 -c '\(asyncioProgram)' \(daemon.socketPath)")
        #expect(output == "10000 10000\n", "\(file.path)")
        #expect(status == 0)
    }

    @Test func `Python's files read a list of many lines`() throws {
        let (daemon, file) = try daemon(movies: 1_000)
        let program = fileProgram.replacing("'", with: #"'"'"'"#)
        let (output, status) = try shell("timeout 60 python3 -c '\(program)' \(daemon.socketPath)")
        #expect(output == "1000\n", "\(file.path)")
        #expect(status == 0)
    }

    @Test(.enabled(if: isInstalled("node"), "Node is not installed"))
    func `Node's readline reads a list of many lines`() throws {
        let (daemon, file) = try daemon(movies: 1_000)
        let program = nodeProgram.replacing("'", with: #"'"'"'"#)
        let (output, status) = try shell("timeout 60 node -e '\(program)' \(daemon.socketPath)")
        #expect(output == "1000\n", "\(file.path)")
        #expect(status == 0)
    }

    @Test func `jq takes every line`() throws {
        let daemon = try RunningDaemon()
        let (output, status) = try shell(
            #"printf 'help\nmore\nstats\nhello\nrpc.discover\nnonsense\n' | socat -t 10 - UNIX-CONNECT:\#(daemon.socketPath) | jq -c .id"#
        )
        #expect(status == 0)
        #expect(output == "1\n2\n3\n4\n5\n6\n")
    }
}
