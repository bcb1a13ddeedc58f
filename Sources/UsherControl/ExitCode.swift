// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How usherctl ends, for scripts.
///
/// Ended by a signal it ends by that signal, which shells show as 128 and its number: 130 for an
/// interrupt, 141 when the reader of its output has gone.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    case daemonRefused = 1
    case noDaemon = 2
    case stateIsError = 3
    case usage = 64
    case outputFailed = 74
    case timedOut = 75

    package var summary: String {
        switch self {
        case .success: "All went well."
        case .daemonRefused: "The daemon answered with an error."
        case .noDaemon: "No daemon could be reached."
        case .stateIsError: "The state that was shown is an error."
        case .usage: "The command line makes no sense."
        case .outputFailed: "The output could not be written."
        case .timedOut: "The daemon did not answer in time."
        }
    }
}
