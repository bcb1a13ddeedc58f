// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// The test server of `http_server.py` as a process of its own; one serves all tests of a process.
package struct HTTPTestServer: Sendable {
    /// The port of plain HTTP on 127.0.0.1.
    package let port: Int
    /// The port of HTTPS on 127.0.0.1 and localhost.
    package let securePort: Int
    /// The server's certificate, which nobody trusts who is not told to.
    package let certificateFile: String

    /// The server, started when it is first asked for; it ends with the process.
    package static let shared = HTTPTestServer()

    private init() {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "http_server.py").path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = Self.inputThatEndsWithThisProcess()
        do {
            try process.run()
        } catch {
            preconditionFailure("python3 cannot be started: \(error)")
        }
        let words = Self.firstLine(of: output.fileHandleForReading).split(separator: " ")
        guard words.count == 3, let port = Int(words[0]), let securePort = Int(words[1]) else {
            preconditionFailure("the test server did not start; it needs python3 and openssl")
        }
        self.port = port
        self.securePort = securePort
        certificateFile = String(words[2])
    }

    /// An address that gets one step after the other; see `http_server.py` for what there is.
    package func address(_ steps: String..., token: String) -> String {
        address(steps, token: token)
    }

    /// The same with the steps in an array.
    package func address(_ steps: [String], token: String) -> String {
        let path = steps.map {
            $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0
        }
        return "http://127.0.0.1:\(port)/\(path.joined(separator: ","))/\(token)"
    }

    /// A token that no other test uses.
    package static func makeToken() -> String {
        UUID().uuidString
    }

    /// Where the heads of the requests that came for a token are, as a JSON array of strings.
    package func logAddress(token: String) -> String {
        "http://127.0.0.1:\(port)/log/\(token)"
    }

    /// Lets the gated answers for a token go.
    package func openGate(token: String) throws {
        _ = try get("/open/\(token)")
    }

    /// The heads of the requests that came for a token.
    package func requests(token: String) throws -> [String] {
        try JSONDecoder().decode([String].self, from: get("/log/\(token)"))
    }

    /// The body of what is at a path; blocks.
    private func get(_ path: String) throws -> Data {
        let socket = FileHandle(
            fileDescriptor: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0),
            closeOnDealloc: true)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = unsafe withUnsafeBytes(of: &address) {
            unsafe connect(
                socket.fileDescriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t($0.count))
        }
        guard status == 0 else { throw TestFailure("the test server is gone") }
        try socket.write(contentsOf: Data("GET \(path) HTTP/1.1\r\nConnection: close\r\n\r\n".utf8))
        shutdown(socket.fileDescriptor, Int32(SHUT_WR))
        let answer = try socket.readToEnd() ?? Data()
        guard let head = answer.firstRange(of: Data("\r\n\r\n".utf8)) else {
            throw TestFailure("the test server does not answer")
        }
        return answer[head.upperBound...]
    }

    /// One end of a socket pair; the other stays open in this process, and no other, until it ends.
    private static func inputThatEndsWithThisProcess() -> FileHandle {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let status = unsafe socketpair(AF_UNIX, kind, 0, &ends)
        precondition(status == 0, "no socket pair can be made")
        return FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    }

    private static func firstLine(of handle: FileHandle) -> String {
        var line = Data()
        while let byte = try? handle.read(upToCount: 1), let byte = byte.first,
            byte != UInt8(ascii: "\n")
        {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
