// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import UsherWire

/// Plays a transcript to a real daemon and compares what comes; it ends with a proof that nothing else came.
final class TranscriptPlayer {
    private let transcript: Transcript
    private let folder: URL
    private let daemon: RunningDaemon
    private let schema: JSONSchema
    private var connections: [String: Peer] = [:]
    /// What the placeholders with names stood for.
    private var memory: [String: String] = [:]
    private var relay: Relay?

    /// One connection, and what was asked on it.
    private struct Peer {
        let client: LineClient
        var lines = 0
        /// The methods of the requests, by the text of their ids; an id may be used again.
        var methods: [String: [Method]] = [:]
        var hasFinished = false
    }

    init(_ transcript: Transcript, discovery: JSON) throws {
        self.transcript = transcript
        schema = JSONSchema(document: discovery)
        folder = try temporaryFolder()
        let list = folder.path + "/list.json"
        try Self.longList.write(toFile: list, atomically: false, encoding: .utf8)
        daemon = try RunningDaemon(
            transcript.arguments.map {
                $0.replacing("<folder>", with: Document.transcriptFolder.path)
                    .replacing("<long-list>", with: list)
            })
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Sixty films that do not fit two lines.
    private static let longList: String = {
        let overview = String(repeating: "x", count: 2_000)
        let films = (1...60).map {
            #"{"id":\#($0),"title":"Film \#($0)","overview":"\#(overview)"}"#
        }
        return "[" + films.joined(separator: ",") + "]"
    }()

    func play() throws {
        for step in transcript.steps {
            do {
                try perform(step)
            } catch {
                throw TestFailure("\(transcript.document):\(step.line): \(error)")
            }
        }
        for (name, peer) in connections where !peer.hasFinished {
            let reply = try peer.client.ask(#"{"id":"the end","method":"sync"}"#)
            guard reply["id"].string == "the end" else {
                throw TestFailure(
                    "\(transcript.document):\(transcript.firstLine): \(name)< a line that is not "
                        + "in the transcript: \(reply)")
            }
        }
    }

    private func perform(_ step: Transcript.Step) throws {
        if case .restart = step.action {
            connections = [:]
            try daemon.restart()
            return
        }
        var peer = try connections[step.connection] ?? Peer(client: connect(step.connection))
        switch step.action {
        case .send(let line):
            let bytes = try TranscriptPattern(line).expand(memory)
            peer.lines += 1
            note(bytes, &peer)
            try peer.client.send(bytes: bytes + [0x0A])
        case .finish:
            peer.hasFinished = true
            peer.client.finishSending()
        case .expect(let pattern):
            guard let line = try peer.client.line() else { throw TestFailure("the stream ended") }
            try TranscriptPattern(pattern).match(line, &memory)
            try check(JSON(parsing: line), peer)
        case .expectEnd:
            if let line = try peer.client.line() { throw TestFailure("not the end, but \(line)") }
            peer.hasFinished = true
        case .restart: break
        }
        connections[step.connection] = peer
    }

    private func connect(_ name: String) throws -> LineClient {
        guard name == Transcript.stranger else { return try daemon.connect() }
        let relay = try relay ?? Relay(to: daemon)
        self.relay = relay
        return try LineClient(path: relay.path, keeping: relay)
    }

    // MARK: Schemas

    /// Remembers which methods a line calls.
    private func note(_ line: [UInt8], _ peer: inout Peer) {
        let text = String(decoding: line, as: UTF8.self)
            .trimmingCharacters(in: CharacterSet(charactersIn: "\u{FEFF} \r"))
        if let json = try? JSON(parsing: text) {
            let requests = json.array.isEmpty ? [json] : json.array
            for request in requests {
                let method = request["method"].string.flatMap(Method.init)
                peer.methods["\(request["id"])", default: []] += method.map { [$0] } ?? []
            }
        } else if let command = try? Shorthand.parse(text) {
            peer.methods["\(JSON.number(Double(peer.lines)))"] = [command.entry.method]
        }
    }

    /// Throws unless a line is what `rpc.discover` says of its method, or of events.
    private func check(_ line: JSON, _ peer: Peer) throws {
        for message in line.array.isEmpty ? [line] : line.array {
            let problems =
                if message["method"].string != nil {
                    eventProblems(message["params"])
                } else if message.members["error"] != nil {
                    errorProblems(message["error"])
                } else {
                    resultProblems(message["result"], of: peer.methods["\(message["id"])"] ?? [])
                }
            guard problems.isEmpty else { throw TestFailure(problems.joined(separator: "\n")) }
        }
    }

    /// Empty if the result is one of a method's of those.
    private func resultProblems(_ result: JSON, of methods: [Method]) -> [String] {
        let problems = methods.map { method in
            let entry = schema.document["methods"].array.first {
                $0["name"].string == method.rawValue
            }
            return schema.problems(result, entry?["result", "schema"] ?? .null)
        }
        if problems.contains(where: \.isEmpty) { return [] }
        return problems.first ?? ["it answers nothing that was asked"]
    }

    private func eventProblems(_ params: JSON) -> [String] {
        let described = schema.document["x-events"][0]["params"].array
        let names = Set(described.compactMap { $0["name"].string })
        let unknown = params.members.keys.filter { !names.contains($0) }
        return unknown.map { "no event has \($0)" }
            + described.flatMap { parameter -> [String] in
                let name = parameter["name"].string ?? ""
                guard let value = params.members[name] else {
                    return parameter["required"].boolean == true ? ["the event has no \(name)"] : []
                }
                return schema.problems(value, parameter["schema"], at: "/\(name)")
            }
    }

    private func errorProblems(_ error: JSON) -> [String] {
        let reason = error["data", "reason"].string ?? ""
        let known = schema.document["components", "errors", reason]
        guard known["code"] == error["code"],
            known["data", "retryable"] == error["data", "retryable"]
        else { return ["no error is \(error)"] }
        return []
    }
}

/// A way to the daemon that another user goes: what connects to it comes from the user nobody.
private final class Relay {
    let path: String
    private let folder: URL
    private let process: ChildProcess

    init(to daemon: RunningDaemon) throws {
        folder = try temporaryFolder()
        path = folder.path + "/s"
        // Both folders are root's alone; the other user has to get through.
        unsafe chmod(daemon.folder.path, 0o711)
        unsafe chmod(folder.path, 0o777)
        process = try ChildProcess(
            "/usr/bin/setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", "socat", "-d", "-d",
                "UNIX-LISTEN:\(path),fork", "UNIX-CONNECT:\(daemon.socketPath)",
            ], environment: ["PATH": "/usr/bin:/bin"])
        guard process.log.wait(for: "listening on") else {
            throw TestFailure("socat did not start: \(process.log.text)")
        }
    }

    deinit {
        process.kill()
        try? FileManager.default.removeItem(at: folder)
    }
}
