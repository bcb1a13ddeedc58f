// Part of Usher. SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import UsherUpstream

private let v3 = "0123456789abcdef0123456789ABCDEF"
private let v4 = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2hlciJ9.c2ln-_natureA"

struct TMDBKeyTests {
    @Test(arguments: [v3, v3 + "\n", v3 + "\r\n"])
    func `Thirty-two hexadecimal digits are a v3 key`(text: String) throws {
        let key = try TMDBKey(text, source: "K")
        #expect(key.form == .v3)
        #expect(key.credential == .parameter(name: "api_key", Secret(v3)))
    }

    @Test(arguments: [v4, v4 + "\n"])
    func `Three parts after eyJ are a v4 token`(text: String) throws {
        let key = try TMDBKey(text, source: "K")
        #expect(key.form == .v4)
        #expect(key.credential == .bearer(Secret(v4)))
    }

    @Test(arguments: [
        "0123456789abcdef0123456789ABCDE", v3 + "0", v3 + " ", v3 + "\n\n", " " + v3,
        "g123456789abcdef0123456789abcdef", "eyJa.b", "eyJa.b.c.d", "eyJa..c", "abc.def.ghi",
        "eyJa.b\r\nX: y.c", "eyJa.b.c&d", "eyJ." + String(repeating: "x", count: 5_000) + ".y",
    ])
    func `Anything else is refused, with its source and without itself`(text: String) throws {
        let error = try #require(throws: UpstreamError.self) {
            try TMDBKey(text, source: "/etc/key")
        }
        #expect(error.kind == .configuration)
        #expect(
            error.message == "the TMDB key from /etc/key is neither a v3 key (32 hexadecimal "
                + "digits) nor a v4 access token (eyJ…, three parts joined by dots)")
    }

    @Test(arguments: [v3, v4])
    func `A key does not show, however it is printed`(text: String) throws {
        let key = try TMDBKey(text, source: "K")
        let request = HTTPRequest(
            try BaseURL("https://api.test", purpose: "TMDB"), path: "/3", query: "page=1",
            credential: key.credential)
        let found = TMDBKey.Found(key: key, warning: nil)
        for value in [key, request, found, key.credential, Secret(text), [request]] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for shown in ["\(value)", String(reflecting: value), dumped] {
                #expect(!shown.contains(text.prefix(12)))
            }
        }
        #expect("\(key)" == "the \(key.form) key from K")
        #expect("\(Secret(text))" == "(secret)")
    }
}

struct TMDBKeyFindTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "usher-key-\(UUID().uuidString)")
    private let other = "ffffffffffffffffffffffffffffffff"

    private func withFolder(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body()
    }

    private func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let path = folder.appending(path: name).path
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test func `A credential comes before a file, and a file before the environment`() throws {
        try withFolder {
            let credential = try write(v3 + "\n", to: "tmdb-api-key")
            let file = try write(other, to: "file")
            let environment = ["TMDB_API_KEY": v4]
            var found = try TMDBKey.find(
                credentialsDirectory: folder.path, file: file, environment: environment)
            #expect(found?.key == (try TMDBKey(v3, source: credential)))
            #expect(found?.warning == nil)
            found = try TMDBKey.find(
                credentialsDirectory: "/nonexistent", file: file, environment: environment)
            #expect(found?.key == (try TMDBKey(other, source: file)))
            found = try TMDBKey.find(
                credentialsDirectory: nil, file: nil, environment: environment)
            #expect(found?.key == (try TMDBKey(v4, source: "TMDB_API_KEY")))
            found = try TMDBKey.find(
                credentialsDirectory: "", file: nil, environment: ["TMDB_API_KEY": ""])
            #expect(found == nil)
        }
    }

    @Test func `A key file that everyone can read is used, with a warning`() throws {
        try withFolder {
            let file = try write(v3, to: "file", mode: 0o644)
            let found = try TMDBKey.find(credentialsDirectory: nil, file: file, environment: [:])
            #expect(found?.warning == "everyone can read the TMDB key in \(file); chmod 600 it")
        }
    }

    @Test func `A source that is there and no good is an error, not passed over`() throws {
        try withFolder {
            let good = ["TMDB_API_KEY": v3]
            _ = try write("", to: "tmdb-api-key")
            let empty = try #require(throws: UpstreamError.self) {
                try TMDBKey.find(credentialsDirectory: folder.path, file: nil, environment: good)
            }
            #expect(empty.message == "the TMDB key from \(folder.path)/tmdb-api-key is empty")
            let missing = try #require(throws: UpstreamError.self) {
                try TMDBKey.find(
                    credentialsDirectory: nil, file: "/nonexistent/key", environment: good)
            }
            #expect(
                missing.message == "the TMDB key cannot be read from /nonexistent/key: "
                    + "there is no such file")
            let large = try write(String(repeating: "x", count: 5_000), to: "large")
            let tooLarge = try #require(throws: UpstreamError.self) {
                try TMDBKey.find(credentialsDirectory: nil, file: large, environment: good)
            }
            #expect(tooLarge.message.hasSuffix("it is larger than 4096 bytes"))
            let directory = try #require(throws: UpstreamError.self) {
                try TMDBKey.find(credentialsDirectory: nil, file: folder.path, environment: good)
            }
            #expect(directory.message.hasSuffix("it is not a regular file"))
        }
    }
}
