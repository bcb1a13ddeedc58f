// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation

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
