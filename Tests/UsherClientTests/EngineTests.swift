// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

@testable import UsherClient

@Suite(.timeLimit(.minutes(5)))
struct EngineTests {
    private let epoch = "00000000000000aa"

    @Test func `The will event comes first, then the delegate's call, then the did event`()
        async throws
    {
        let (server, client, log) = try started()
        let peer = try await server.greetedPeer(engine: #"{"event":"start","phase":"did"}"#)
        let name = peer.engineName.withLock { $0 }
        let steps = [("create", "created"), ("start", "started"), ("reload", "reloaded")]
        var revision = 1
        for (step, _) in steps {
            for phase in ["will", "did"] {
                peer.push(
                    name, prev: "\(epoch):\(revision)", cursor: "\(epoch):\(revision + 1)",
                    #"{"event":"\#(step)","phase":"\#(phase)"}"#)
                revision += 1
            }
        }
        let expected = steps.flatMap { ["will \($0.0)", $0.1, "did \($0.0)"] }
        #expect(try await log.entries.first(9) == expected)
        withExtendedLifetime((client, log)) {}
    }

    @Test func `A stop ends with the connection, and the next daemon's start is told`()
        async throws
    {
        let (server, client, log) = try started()
        let peer = try await server.greetedPeer(engine: #"{"event":"start","phase":"did"}"#)
        peer.push(
            peer.engineName.withLock { $0 }, prev: "\(epoch):1", cursor: "\(epoch):2",
            #"{"event":"stop","phase":"will","reason":"SIGTERM","reconnect_after_ms":0}"#)
        peer.close()
        #expect(try await log.entries.first(3) == ["will stop", "stopped SIGTERM", "did stop"])
        let next = try await server.greetedPeer(engine: #"{"event":"start","phase":"did"}"#)
        #expect(try await log.entries.first(5).suffix(2) == ["started", "did start"])
        next.close()
        withExtendedLifetime((client, log)) {}
    }

    @Test func `A step that is not known is passed over, and what was before the client is none`()
        async throws
    {
        let (server, client, log) = try started()
        let peer = try await server.greetedPeer(engine: #"{"event":"start","phase":"did"}"#)
        let name = peer.engineName.withLock { $0 }
        peer.push(
            name, prev: "\(epoch):1", cursor: "\(epoch):2", #"{"event":"dance","phase":"will"}"#)
        peer.push(
            name, prev: "\(epoch):2", cursor: "\(epoch):3", #"{"event":"reload","phase":"did"}"#)
        #expect(try await log.entries.first(2) == ["reloaded", "did reload"])
        withExtendedLifetime((client, log)) {}
    }

    @Test func `A step that comes between the two of another one takes nothing from it`()
        async throws
    {
        let (server, client, log) = try started()
        let peer = try await server.greetedPeer(engine: #"{"event":"start","phase":"did"}"#)
        let name = peer.engineName.withLock { $0 }
        let steps = [
            #"{"event":"stop","phase":"will","reason":"SIGTERM"}"#,
            #"{"event":"degrade","phase":"did","reason":"full"}"#,
            #"{"event":"recover","phase":"did"}"#,
        ]
        for (index, step) in steps.enumerated() {
            peer.push(name, prev: "\(epoch):\(index + 1)", cursor: "\(epoch):\(index + 2)", step)
        }
        peer.close()
        #expect(
            try await log.entries.first(7) == [
                "will stop", "stopped SIGTERM", "degraded full", "did degrade", "recovered",
                "did recover", "did stop",
            ])
        withExtendedLifetime((client, log)) {}
    }

    @Test func `The connection says whether the daemon can store anything`() async throws {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path)
        let peer = try await server.greetedPeer()
        await client.connection.becomes(.connected(.fake))
        var degraded = Daemon.fake
        degraded.isDegraded = true
        for _ in 1...2 {
            peer.send(#"{"jsonrpc":"2.0","method":"health","params":{"degraded":true}}"#)
            await client.connection.becomes(.connected(degraded))
            peer.send(#"{"jsonrpc":"2.0","method":"health","params":{"degraded":false}}"#)
            await client.connection.becomes(.connected(.fake))
        }
        // A subscription is confirmed with the same mark.
        let observation = client.user.observe { _ in }
        let request = try await peer.request("subscribe", topic: "user")
        peer.reply(
            to: request,
            """
            {"as":"\(request.name)","topic":"x","cursor":"\(epoch):1","recovered":false,\
            "reason":"no_cursor","snapshot":\(userJSON(1, "Ada")),"degraded":true}
            """)
        await client.connection.becomes(.connected(degraded))
        withExtendedLifetime(observation) {}
    }

    @Test func `The delegate is not kept alive`() async throws {
        let (_, client, log) = try started()
        weak let delegate = log.delegate
        #expect(client.engineDelegate === delegate)
        log.letDelegateGo()
        #expect(client.engineDelegate == nil)
    }

    private func started() throws -> (FakeServer, UsherClient, EngineLog) {
        let server = try FakeServer()
        let client = UsherClient(socket: server.path, options: .quick)
        return (server, client, EngineLog(of: client))
    }
}

/// Writes down events and calls in the order in which they come.
private final class EngineLog: Sendable {
    let entries = Recorder<String>()
    private let observation: Subscription
    private let kept: Guarded<EngineDelegateLog?>

    init(of client: UsherClient) {
        let delegate = EngineDelegateLog(entries)
        client.engineDelegate = delegate
        kept = Guarded(delegate)
        observation = client.engine.observe { [entries] event in
            entries.add("\(event.phase) \(event.step)")
        }
    }

    var delegate: EngineDelegateLog? { kept.withLock { $0 } }

    func letDelegateGo() {
        kept.withLock { $0 = nil }
    }
}

private final class EngineDelegateLog: EngineDelegate {
    private let entries: Recorder<String>

    init(_ entries: Recorder<String>) {
        self.entries = entries
    }

    func engineCreated() { entries.add("created") }
    func engineStarted() { entries.add("started") }
    func engineReloaded() { entries.add("reloaded") }
    func engineStopped(reason: String?) { entries.add("stopped \(reason ?? "")") }
    func engineDegraded(reason: String?) { entries.add("degraded \(reason ?? "")") }
    func engineRecovered() { entries.add("recovered") }
}
