// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UsherStreams

@testable import UsherClient

@Suite(.timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test func `A missing socket and one that nobody listens at are told apart at once`()
        async throws
    {
        let missing = UsherClient(socket: FakeServer.newPath())
        let missingError = await #expect(throws: ClientError.self) { try await missing.ping() }
        #expect(missingError?.code == .missingSocket)
        #expect(missingError?.message.contains("start usherd") == true)
        #expect((missingError?.underlying as? POSIXError)?.code == .ENOENT)

        let server = try FakeServer()
        server.stop()
        let stale = UsherClient(socket: server.path)
        let staleError = await #expect(throws: ClientError.self) { try await stale.ping() }
        #expect(staleError?.code == .staleSocket)
        #expect((staleError?.underlying as? POSIXError)?.code == .ECONNREFUSED)
    }

    @Test(.enabled(if: getuid() != 0, "root may open any socket"))
    func `A socket that may not be opened is a third error`() async throws {
        let server = try FakeServer()
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: server.path)
        let client = UsherClient(socket: server.path)
        let error = await #expect(throws: ClientError.self) { try await client.ping() }
        #expect(error?.code == .forbiddenSocket)
    }

    @Test func `Each failure to connect has its code and says what to do`() {
        let expected: [(POSIXErrorCode, ClientError.Code, String)] = [
            (.ENOENT, .missingSocket, "start usherd"),
            (.ENOTDIR, .missingSocket, "correct the path"),
            (.ECONNREFUSED, .staleSocket, "start usherd again"),
            (.EACCES, .forbiddenSocket, "membership"),
            (.EPERM, .forbiddenSocket, "membership"),
            (.ENAMETOOLONG, .invalidSocketPath, "shorter path"),
            (.EAGAIN, .connectionFailed, "overloaded"),
        ]
        for (cause, code, advice) in expected {
            let error = SocketSearch.explain(POSIXError(cause), path: "/run/x.sock")
            #expect(error.code == code)
            #expect(error.message.contains(advice))
            #expect(error.message.contains("/run/x.sock"))
        }
    }

    @Test func `A path that no socket can have is refused`() async {
        let client = UsherClient(socket: "/tmp/" + String(repeating: "x", count: 103))
        let error = await #expect(throws: ClientError.self) { try await client.ping() }
        #expect(error?.code == .invalidSocketPath)
        #expect(error?.message.contains("107") == true)
    }

    @Test func `A client that is made first connects once the daemon is there`() async throws {
        let path = FakeServer.newPath()
        let client = UsherClient(socket: path, options: .quick)
        #expect(try await client.firstDisconnection().code == .missingSocket)
        let server = try FakeServer(path: path)
        let peer = try await server.greetedPeer()
        defer { peer.close() }
        await client.connection.becomes(.connected(.fake))
        #expect(client.connection.value.isConnected)
    }

    @Test func `A request hastens the first connection`() async throws {
        let path = FakeServer.newPath()
        var options = UsherClient.Options.quick
        options.jitter = { _ in .seconds(3600) }
        let client = UsherClient(socket: path, options: options)
        await #expect(throws: ClientError.self) { try await client.ping() }
        let server = try FakeServer(path: path)
        async let uptime = client.ping()
        let peer = try await server.greetedPeer()
        peer.reply(to: try await peer.request("ping"), #"{"uptime_ms":7}"#)
        #expect(try await uptime == .milliseconds(7))
    }

    @Test func `A server that hangs up at once is tried less and less often`() async throws {
        let bounds = Recorder<Duration>()
        var options = UsherClient.Options()
        options.reconnectBase = .milliseconds(1)
        options.reconnectCap = .milliseconds(6)
        options.jitter = {
            bounds.add($0)
            return .zero
        }
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: options)
        for _ in 1...6 { try await server.peer().close() }
        #expect(
            try await bounds.first(6) == [
                .milliseconds(1), .milliseconds(2), .milliseconds(4), .milliseconds(6),
                .milliseconds(6), .milliseconds(6),
            ])
        client.close()
        await client.connection.becomes(.closed)
        // One connection a pause, and at most one that was under way.
        #expect(server.accepted.all.count <= bounds.all.count + 1)
    }

    @Test func `A server that greets and hangs up is tried less and less often too`() async throws {
        let bounds = Recorder<Duration>()
        var options = UsherClient.Options()
        options.reconnectBase = .milliseconds(1)
        options.jitter = {
            bounds.add($0)
            return .zero
        }
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: options)
        for _ in 1...4 { try await server.greetedPeer().close() }
        #expect(
            try await bounds.first(4) == [
                .milliseconds(1), .milliseconds(2), .milliseconds(4), .milliseconds(8),
            ])
        client.close()
    }

    @Test func `A server that accepts and says nothing is given up, and tried again`() async throws
    {
        var options = UsherClient.Options.quick
        options.greetingTimeout = .milliseconds(20)
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: options)
        let silent = try await server.peer()
        let error = try await client.firstDisconnection()
        #expect(error.code == .timedOut)
        #expect(error.message.contains("does not answer"))
        #expect(try await silent.rest().map(\.method) == ["hello"])
        _ = try await server.peer()
    }

    @Test func `What the daemon says before it hangs up is the reason`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: .patient)
        let peer = try await server.peer()
        _ = try await peer.request("hello")
        peer.send(
            """
            {"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"4096 clients are here",\
            "data":{"reason":"too_many_clients","retryable":true}}}
            """)
        peer.close()
        let error = try await client.firstDisconnection()
        #expect(error.reason == "too_many_clients")
        #expect(error.message.contains("4096 clients are here"))
    }

    @Test func `The pause that a stopping daemon asks for is kept`() async throws {
        var options = UsherClient.Options()
        options.jitter = { _ in .seconds(3600) }
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: options)
        let peer = try await server.greetedPeer()
        peer.push(
            peer.engineName.withLock { $0 }, prev: "00000000000000aa:1",
            cursor: "00000000000000aa:2",
            #"{"event":"stop","phase":"will","reason":"SIGTERM","reconnect_after_ms":1}"#)
        peer.close()
        let next = try await server.greetedPeer()
        defer { next.close() }
        await client.connection.becomes(.connected(.fake))
    }

    @Test func `The bound of a pause doubles to a cap, and starts anew in time`() {
        var options = UsherClient.Options()
        options.jitter = { $0 }
        var backoff = Backoff(options)
        let pauses = (0..<8).map { _ in backoff.pause(afterConnectionOf: .zero, requested: nil) }
        let milliseconds = pauses.map { $0 / .milliseconds(1) }
        #expect(milliseconds == [100, 200, 400, 800, 1600, 3200, 5000, 5000])
        #expect(
            backoff.pause(afterConnectionOf: .seconds(4), requested: nil) == .seconds(5))
        #expect(
            backoff.pause(afterConnectionOf: .seconds(5), requested: nil) == .milliseconds(100))
        #expect(
            backoff.pause(afterConnectionOf: .zero, requested: .seconds(7)) == .seconds(7))
        #expect(
            backoff.pause(afterConnectionOf: .zero, requested: .seconds(3600)) == .seconds(60))
        for _ in 0..<100 { _ = backoff.pause(afterConnectionOf: .zero, requested: nil) }
    }

    @Test func `A pause is random between nothing and its bound`() {
        let options = UsherClient.Options()
        let pauses = (0..<1_000).map { _ in options.jitter(.seconds(1)) }
        #expect(pauses.allSatisfy { $0 >= .zero && $0 <= .seconds(1) })
        #expect(pauses.contains { $0 < .milliseconds(200) })
        #expect(pauses.contains { $0 > .milliseconds(800) })
    }

    @Test func `The socket is looked for in the promised order`() async throws {
        let root = URL(filePath: "/tmp/ushr-\(UInt32.random(in: 0...UInt32.max))")
        defer { try? FileManager.default.removeItem(at: root) }
        var search = SocketSearch(explicit: nil, environment: [:])
        search.systemFolder = root.path + "/run"
        search.temporaryFolder = root.path + "/tmp"
        search.environment["XDG_RUNTIME_DIR"] = root.path + "/user"
        let folders = ["user/usher", "run/usher", "tmp/usher-\(getuid())"]

        let nowhere = #expect(throws: ClientError.self) { try search.connect() }
        #expect(nowhere?.code == .missingSocket)
        for folder in folders {
            #expect(nowhere?.message.contains("\(folder)/usher.sock") == true)
        }
        var servers: [FakeServer] = []
        for folder in folders.reversed() {
            let path = root.appending(path: folder)
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            let server = try FakeServer(path: path.path + "/usher.sock")
            servers.append(server)
            let socket = try search.connect()
            _ = try await server.peer()
            withExtendedLifetime(socket) {}
        }
        search.environment["USHER_SOCKET"] = root.path + "/elsewhere"
        let elsewhere = #expect(throws: ClientError.self) { try search.connect() }
        #expect(elsewhere?.message.contains("/elsewhere") == true)
        search.explicit = root.path + "/named"
        let named = #expect(throws: ClientError.self) { try search.connect() }
        #expect(named?.message.contains("/named") == true)
    }

    @Test func `A folder under the temporary one that is no folder of one's own is refused`() throws
    {
        let root = "/tmp/ushr-\(UInt32.random(in: 0...UInt32.max))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(
            atPath: root + "/real", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: root + "/usher-\(getuid())", withDestinationPath: root + "/real")
        let server = try FakeServer(path: root + "/real/usher.sock")
        var search = SocketSearch(explicit: nil, environment: [:])
        search.systemFolder = root + "/run"
        search.temporaryFolder = root
        let error = #expect(throws: ClientError.self) { try search.connect() }
        #expect(error?.code == .invalidSocketPath)
        withExtendedLifetime(server) {}
    }
}
