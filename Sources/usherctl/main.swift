// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import UsherControl

let process = ProcessInfo.processInfo
let exitCode = await ControlProgram.run(
    Array(process.arguments.dropFirst()), environment: process.environment)
exit(exitCode.rawValue)
