// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherClient

/// Why a command came to nothing: a line that says what to do, and the exit code.
package struct Failure: Error, Sendable, Equatable {
    package let message: String
    package let exitCode: ExitCode

    package init(_ message: String, _ exitCode: ExitCode) {
        self.message = message
        self.exitCode = exitCode
    }

    package init(_ error: ClientError) {
        let reason = error.reason.map { " (\($0))" } ?? ""
        self.init(error.message + reason, Self.exitCode(of: error.code))
    }

    /// The daemon did not answer within the time that was given.
    static func timedOut(_ command: String, after seconds: Double) -> Failure {
        let time = seconds.rounded() == seconds ? String(Int(seconds)) : String(seconds)
        return Failure(
            "\(command) was not done within \(time) s; see whether the daemon is busy, "
                + "or allow more with --timeout",
            .timedOut)
    }

    private static func exitCode(of code: ClientError.Code) -> ExitCode {
        switch code {
        case .timedOut: .timedOut
        case .invalidRequest: .usage
        case .refused, .unexpectedReply: .daemonRefused
        default: .noDaemon
        }
    }
}
