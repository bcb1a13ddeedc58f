// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The content of a regular file that is not larger than expected.
///
/// Reading it blocks.
package struct SmallFile: Sendable {
    package let bytes: [UInt8]
    /// Whether the file's mode lets others read it.
    package let isReadableByEveryone: Bool

    /// Why a file was not read.
    package enum Failure: Error, Equatable {
        case missing
        case notAFile
        case tooLarge(limit: Int)
        case system(errno: Int32)

        /// The failure in words; `what` is what should be in the file.
        package func error(_ path: String, what: String) -> UpstreamError {
            let reason =
                switch self {
                case .missing: "there is no such file"
                case .notAFile: "it is not a regular file"
                case .tooLarge(let limit): "it is larger than \(limit) bytes"
                case .system(let code): errorText(code)
                }
            return UpstreamError(.unreadable, "\(what) cannot be read from \(path): \(reason)")
        }
    }

    package static func read(_ path: String, limit: Int) -> Result<SmallFile, Failure> {
        // Opening a pipe that nobody writes to must not wait.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return .failure(errno == ENOENT ? .missing : .system(errno: errno))
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            return .failure(.system(errno: errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return .failure(.notAFile) }
        return readAll(descriptor, limit: limit).map {
            SmallFile(bytes: $0, isReadableByEveryone: status.st_mode & S_IROTH != 0)
        }
    }

    /// Reads to the end, since a file's size may change meanwhile.
    private static func readAll(_ descriptor: Int32, limit: Int) -> Result<[UInt8], Failure> {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1_024)
        while true {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                return .failure(.system(errno: errno))
            }
            if count == 0 { return .success(bytes) }
            bytes += piece[..<count]
            guard bytes.count <= limit else { return .failure(.tooLarge(limit: limit)) }
        }
    }
}

/// What the system calls an errno value.
func errorText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: text, as: UTF8.self)
}
