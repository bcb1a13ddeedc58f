// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: OtherPeer.User.canBeAnyone, "other users can only be tried as root"))
struct `Roles` {
    /// What each request needs, with the system's users.
    private static let requests: [(line: String, role: String)] = [
        ("user.get", "read"), ("user.get user=0", "read"), ("movies", "read"), ("more", "read"),
        ("stats", "read"), ("watch user/0", "read"), ("fetch", "read"), ("rename Ada", "read"),
        ("fetch user=0", "control"), ("user.rename name=Eve user=0", "control"),
        ("refresh", "control"),
        ("clients", "control"), ("engine.reload", "admin"), ("engine.stop", "admin"),
    ]

    /// The account `nobody`, which every system has.
    private static let nobody = OtherPeer.User(65_534)

    @Test(arguments: [
        (groups: [], role: "read"), (groups: [someGroup], role: "control"),
        (groups: [someGroup + 1], role: "admin"), (groups: [1, someGroup, 2], role: "control"),
    ])
    func `decide what a peer may do`(groups: [UInt32], role: String) throws {
        let daemon = try RunningDaemon(
            ["--control-group", "\(someGroup)", "--admin-group", "\(someGroup + 1)"],
            store: "memory")
        try daemon.letAnyoneIn()
        let ranks = ["read", "control", "admin"]
        for request in Self.requests where request.line != "engine.stop" || role != "admin" {
            let isAllowed =
                (ranks.firstIndex(of: role) ?? 0) >= (ranks.firstIndex(of: request.role) ?? 0)
            let peer = try OtherPeer(
                daemon.socketPath, as: .init(65_534, groups: groups),
                [.connect, .ask("hello"), .ask(request.line)])
            let answers = try peer.received(2)
            #expect(answers[0]["result", "role"].string == role)
            #expect(answers[0]["result", "user"].integer == 65_534)
            if isAllowed {
                #expect(answers[1].reason != "permission_denied", "\(request.line)")
            } else {
                #expect(answers[1]["error", "code"].integer == -32003, "\(request.line)")
                #expect(answers[1].reason == "permission_denied")
                let message = answers[1]["error", "message"].string ?? ""
                #expect(message.contains("the role \(request.role)"))
            }
        }
    }

    @Test func `come with the first group as with the others`() throws {
        let daemon = try RunningDaemon(["--control-group", "\(someGroup)"], store: "memory")
        try daemon.letAnyoneIn()
        let peer = try OtherPeer(
            daemon.socketPath, as: .init(65_534, gid: someGroup), [.connect, .ask("hello")])
        #expect(try peer.received(1)[0]["result", "role"].string == "control")
    }

    @Test func `let users rename themselves and nobody else`() throws {
        let daemon = try RunningDaemon([], store: "memory")
        try daemon.letAnyoneIn()
        let root = try daemon.connect()
        let name = try root.ask("fetch")["result", "state", "user", "name"]
        _ = try root.ask("watch user")
        let peer = try OtherPeer(
            daemon.socketPath, as: Self.nobody,
            [
                .connect, .ask("fetch"), .ask("rename Somebody"),
                .ask("user.rename name=Eve user=0"),
                .ask("fetch user=0"), .ask("refresh"),
            ])
        let answers = try peer.received(5)
        #expect(answers[0]["result", "state", "user", "username"].string == "nobody")
        #expect(answers[1]["result", "state", "user", "name"].string == "Somebody")
        #expect(answers[2...].allSatisfy { $0.reason == "permission_denied" })
        // Nothing has changed of what was refused: not a state, not a revision, not a list.
        #expect(try root.ask("user")["result", "state", "user", "name"] == name)
        try root.send(#"{"id":9,"method":"sync"}"#)
        #expect(try root.json()["id"].integer == 9)
        #expect(try root.ask("movies")["result", "status", "phase"].string == "idle")
        #expect(
            try root.ask("stats")["result", "requests", "errors"]
                == .object(["permission_denied": .number(3)]))
        // The log says who, once a connection.
        let refusals = daemon.log.text.split(separator: "\n").filter { $0.contains("was refused") }
        #expect(refusals.count == 1)
        #expect(refusals.first?.contains("uid 65534") == true)
        #expect(refusals.first?.contains("user.rename") == true)
    }

    @Test func `protect a user that all peers share`() throws {
        let daemon = try RunningDaemon(
            RunningDaemon.demo + ["--control-group", "\(someGroup)"], store: "memory")
        try daemon.letAnyoneIn()
        let reader = try OtherPeer(
            daemon.socketPath, as: stranger,
            [.connect, .ask("user"), .ask("fetch"), .ask("rename Eve"), .ask("more")])
        let answers = try reader.received(4)
        #expect(answers[0]["result", "user"].integer == 0)
        #expect(answers[1].reason == "permission_denied")
        #expect(answers[2].reason == "permission_denied")
        #expect(answers[3]["result", "total"].integer == 20)
        let controller = try OtherPeer(
            daemon.socketPath, as: .init(54_321, groups: [someGroup]),
            [.connect, .ask("fetch"), .ask("rename Ada")])
        #expect(
            try controller.received(2)[1]["result", "state", "user", "name"].string == "Ada")
    }

    @Test func `make admins of root and of the daemon's own user, no one else`() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(unsafe chmod(folder.path, 0o777) == 0)
        let path = folder.path + "/s"
        let daemon = try ChildProcess(
            "/usr/bin/setpriv",
            Array(stranger.wrapper.dropFirst()) + [try product("usherd").path] + [
                "--socket", path, "--store", "memory",
            ], environment: ["HOME": folder.path])
        #expect(daemon.log.wait(for: "serving on"))
        for (user, role) in [(stranger, "admin"), (Self.nobody, "read")] {
            let peer = try OtherPeer(path, as: user, [.connect, .ask("hello")])
            #expect(try peer.received(1)[0]["result", "role"].string == role)
        }
        let root = try LineClient(path: path)
        #expect(try root.hello(as: "root")["role"].string == "admin")
        daemon.signal(SIGTERM)
        #expect(daemon.waitForExit() == 0)
    }

    @Test func `begin with who may connect at all`() throws {
        let daemon = try RunningDaemon(
            ["--socket-mode", "0660", "--socket-group", "\(someGroup)"], store: "memory")
        try daemon.letAnyoneIn()
        var status = stat()
        #expect(unsafe stat(daemon.socketPath, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o660)
        #expect(status.st_gid == someGroup)
        let member = try OtherPeer(
            daemon.socketPath, as: .init(54_321, groups: [someGroup]), [.connect, .ask("ping")])
        #expect(try member.received(1)[0]["result"] != .null)
        let outsider = try OtherPeer(daemon.socketPath, as: stranger, [.connect, .ask("ping")])
        #expect(outsider.process.log.wait(for: "PermissionError"))
    }

    @Test func `follow a reload, for connections that are there already too`() throws {
        let daemon = try RunningDaemon(
            [], store: "memory", configuration: "control-group = \(someGroup)\n")
        try daemon.letAnyoneIn()
        let go = daemon.folder.path + "/go"
        let peer = try OtherPeer(
            daemon.socketPath, as: .init(54_321, groups: [someGroup]),
            [.connect, .ask("refresh"), .await(go), .ask("refresh"), .ask("hello")])
        #expect(try peer.received(1)[0]["result", "status", "phase"].string == "loading")
        try Data("control-group = \(someGroup + 1)\n".utf8).write(to: daemon.configurationFile)
        daemon.signal(SIGHUP)
        #expect(daemon.log.wait(for: "reloaded"))
        #expect(FileManager.default.createFile(atPath: go, contents: nil))
        let answers = try peer.received(3)
        #expect(answers[1].reason == "permission_denied")
        #expect(answers[2]["result", "role"].string == "read")
    }
}
