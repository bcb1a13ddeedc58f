// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// A network with names of the test's own: files in place of /etc/hosts and /etc/resolv.conf, for one daemon alone.
private final class OwnNames {
    private let folder: URL

    init(hosts: String, nameServer: String) throws {
        folder = try temporaryFolder()
        try setHosts(hosts)
        try Data("nameserver \(nameServer)\n".utf8).write(to: folder.appending(path: "resolv.conf"))
        try Data("hosts: files dns\n".utf8).write(to: folder.appending(path: "nsswitch.conf"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes the file in place, since it is mounted.
    func setHosts(_ text: String) throws {
        try Data("127.0.0.1 localhost\n\(text)\n".utf8).write(to: folder.appending(path: "hosts"))
    }

    /// The command that runs the command which follows it with these names.
    var wrapper: [String] {
        let mounts = ["hosts", "resolv.conf", "nsswitch.conf"].map {
            "mount --bind \(folder.path)/\($0) /etc/\($0)"
        }
        let script = (mounts + ["exec \"$@\""]).joined(separator: " && ")
        return ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
    }

    /// Whether this process, and the daemons that it starts, may have mounts of their own.
    static let areAllowed: Bool = {
        // A filter of system calls, which the wrapper may be, forbids them.
        guard ProcessInfo.processInfo.environment["USHER_TEST_WRAPPER"] == nil else { return false }
        let process = try? ChildProcess("/usr/bin/unshare", ["--mount", "/bin/true"])
        return process?.waitForExit() == 0
    }()
}

/// A name server that takes questions and never answers.
private final class SilentNameServer {
    static let address = "127.77.0.53"
    private let socket: Int32

    /// Nil if the port is not to be had.
    init?() {
        socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(53).bigEndian
        place.sin_addr.s_addr = unsafe inet_addr(Self.address)
        let status = unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 { return nil }
    }

    deinit { close(socket) }
}

@Suite(.timeLimit(.minutes(5)), .serialized, .enabled(if: OwnNames.areAllowed))
struct `Names and ways` {
    private let server = HTTPTestServer.shared

    private func daemon(
        _ names: OwnNames, _ host: String, token: String, _ options: [String] = []
    ) throws -> RunningDaemon {
        try RunningDaemon(
            RunningDaemon.demo + ["--movies", "tmdb:http://\(host):\(server.port)/page/\(token)"]
                + options,
            environment: ["TMDB_API_KEY": Theatre.key], through: names.wrapper)
    }

    @Test func `A name that cannot be found at the start is looked up again, without a restart`()
        throws
    {
        let silent = SilentNameServer()
        let names = try OwnNames(hosts: "", nameServer: SilentNameServer.address)
        // It serves before any name is known: that is what the initialiser waits for.
        let daemon = try daemon(
            names, "films.test", token: HTTPTestServer.makeToken(),
            ["--upstream-limit", "connect_ms=300", "--upstream-limit", "retries=0"])
        let client = try daemon.connect()
        let waiting = try daemon.connect()
        try waiting.send("more")
        repeat {
            #expect(try client.ask("ping")["result"] != .null)
        } while !waiting.isReadable
        let error = try waiting.json()
        #expect(["timeout", "upstream_failed"].contains(error.reason))
        #expect(error["error", "message"].string?.contains("films.test") == true)
        try names.setHosts("127.0.0.1 films.test")
        let hasRecovered = try eventually { try client.ask("more")["result", "total"].integer == 3 }
        #expect(hasRecovered)
        _ = silent
    }

    @Test func `A name server that never answers holds up nobody, nor the end`() throws {
        let silent = try #require(SilentNameServer())
        let names = try OwnNames(hosts: "", nameServer: SilentNameServer.address)
        let daemon = try daemon(names, "films.test", token: HTTPTestServer.makeToken())
        let waiting = try daemon.connect()
        try waiting.send("more")
        let client = try daemon.connect()
        for _ in 0..<200 { #expect(try client.ask("ping")["result"] != .null) }
        let before = try daemon.processorMilliseconds
        usleep(300_000)
        #expect(try daemon.processorMilliseconds - before <= 30)
        daemon.signal(SIGTERM)
        #expect(try waiting.json().reason == "shutting_down")
        #expect(daemon.waitForExit() == 0)
        _ = silent
    }

    @Test func `Where IPv6 leads nowhere, IPv4 is taken, unless that was ruled out`() throws {
        // An address of this machine's own network that nobody has, then the server's.
        let names = try OwnNames(
            hosts: "fd00::dead:1 films.test\n127.0.0.1 films.test",
            nameServer: SilentNameServer.address)
        for version in ["any", "4"] {
            let daemon = try daemon(
                names, "films.test", token: HTTPTestServer.makeToken(), ["--ip-version", version])
            #expect(try daemon.connect().ask("more")["result", "total"].integer == 3)
        }
        let token = HTTPTestServer.makeToken()
        let daemon = try daemon(
            names, "films.test", token: token,
            [
                "--ip-version", "6", "--upstream-limit", "connect_ms=300", "--upstream-limit",
                "retries=0",
            ])
        let reply = try daemon.connect().ask("more")
        #expect(["timeout", "upstream_failed"].contains(reply.reason))
        #expect(try server.requests(token: token).isEmpty)
    }
}

/// The system's trust, with certificates of the test's own in place of the machine's.
@Suite(.timeLimit(.minutes(5)), .enabled(if: OwnNames.areAllowed)) struct `Whom the system trusts` {
    private let server = HTTPTestServer.shared

    /// A folder as Debian's /etc/ssl/certs: the certificates under their hashes, and all in one file.
    private func makeStore(of certificate: String?, inFolder: Bool = true) throws -> URL {
        let folder = try temporaryFolder()
        let bundle = folder.appending(path: "ca-certificates.crt")
        guard let certificate else {
            try Data().write(to: bundle)
            return folder
        }
        let pem = try Data(contentsOf: URL(filePath: certificate))
        try pem.write(to: bundle)
        guard inFolder else { return folder }
        try Data().write(to: bundle)
        try pem.write(to: folder.appending(path: "own.pem"))
        try RunningDaemon.run("/usr/bin/openssl", "rehash", folder.path)
        return folder
    }

    private func ask(_ store: URL, _ options: [String] = []) throws -> JSON {
        let token = HTTPTestServer.makeToken()
        let script = "mount --bind \(store.path) /etc/ssl/certs && exec \"$@\""
        let daemon = try RunningDaemon(
            RunningDaemon.demo + ["--upstream-limit", "retries=0"] + options
                + ["--movies", "tmdb:https://localhost:\(server.securePort)/page/\(token)"],
            environment: ["TMDB_API_KEY": Theatre.key],
            through: ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"])
        return try daemon.connect().ask("more")
    }

    @Test(arguments: [true, false]) func `is trusted, from a folder as from a file`(inFolder: Bool)
        throws
    {
        let store = try makeStore(of: server.certificateFile, inFolder: inFolder)
        defer { try? FileManager.default.removeItem(at: store) }
        #expect(try ask(store)["result", "total"].integer == 3)
    }

    @Test func `is not trusted where a file of certificates is named`() throws {
        let store = try makeStore(of: server.certificateFile)
        let other = try temporaryFolder()
        defer { for folder in [store, other] { try? FileManager.default.removeItem(at: folder) } }
        let (key, certificate) = (other.path + "/key.pem", other.path + "/certificate.pem")
        try RunningDaemon.run(
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate,
            "-days", "2", "-subj", "/CN=elsewhere.test")
        let reply = try ask(store, ["--ca-file", certificate])
        #expect(reply["error", "message"].string?.contains("is not trusted") == true)
    }

    @Test func `is nobody where there are no certificates`() throws {
        let store = try makeStore(of: nil)
        defer { try? FileManager.default.removeItem(at: store) }
        #expect(try ask(store).reason == "upstream_failed")
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A proxy on the way` {
    private let server = HTTPTestServer.shared

    private func theatre(
        _ options: [String] = [], _ environment: [String: String] = [:]
    ) throws -> Theatre {
        try Theatre([], limits: ["retries=0"], options: options, environment: environment) {
            _, token in
            "http://films.test/page/\(token)"
        }
    }

    @Test func `is taken from the environment, and named in the log without its password`() throws {
        let theatre = try theatre(
            [],
            [
                "http_proxy": "http://me:s3cret@127.0.0.1:\(server.port)",
                "no_proxy": "other.test",
            ])
        #expect(try theatre.more()["result", "total"].integer == 3)
        let head = try #require(try theatre.requests().first)
        #expect(head.hasPrefix("GET http://films.test/page/"))
        #expect(head.contains("Proxy-Authorization: Basic "))
        let log = theatre.daemon.log.text
        #expect(
            log.contains(
                "movies: requests to films.test go through the proxy http://127.0.0.1:\(server.port) (http_proxy), unless no_proxy names the host: other.test"
            ))
        #expect(!log.contains("s3cret"))
        try theatre.checkSecrecy()
    }

    @Test func `is not used for hosts of no_proxy`() throws {
        let theatre = try theatre(
            [], ["http_proxy": "http://127.0.0.1:\(server.port)", "no_proxy": "films.test"])
        // The name is looked up here then, and nobody knows it.
        #expect(try theatre.more().reason != nil)
        #expect(try theatre.requests().isEmpty)
    }

    @Test func `that is configured comes before the environment's, and none means none`() throws {
        let address = "http://127.0.0.1:\(server.port)"
        let configured = try theatre(["--proxy", address], ["http_proxy": "http://127.0.0.1:1"])
        #expect(try configured.more()["result", "total"].integer == 3)
        #expect(configured.daemon.log.text.contains("through the proxy \(address) (proxy)"))
        let direct = try Theatre(
            ["page"], options: ["--proxy", "none"],
            environment: ["http_proxy": "http://127.0.0.1:1"])
        #expect(try direct.more()["result", "total"].integer == 3)
        #expect(!direct.daemon.log.text.contains("proxy"))
    }

    @Test func `that is not there is named in the error`() throws {
        let theatre = try theatre([], ["http_proxy": "http://me:s3cret@127.0.0.1:1"])
        let message = try theatre.more()["error", "message"].string
        #expect(
            message == "cannot connect to films.test, or to the proxy http://127.0.0.1:1 on the way"
        )
        try theatre.checkSecrecy()
    }
}
