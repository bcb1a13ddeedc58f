// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import UsherDaemon
import UsherEventLoop
import UsherOptions

let log = Log()
do {
    let environment = ProcessInfo.processInfo.environment
    switch try Configuration.read(
        CommandLine.arguments, environment: environment, uid: getuid())
    {
    case .help: print(Configuration.help)
    case .version: print("usherd \(version)")
    case .serve(let configuration):
        try Daemon(configuration, on: EventLoop(), log: log).run()
    }
} catch let error as UsageError {
    try? FileHandle.standardError.write(contentsOf: Data("usherd: \(error)\n".utf8))
    exit(EX_USAGE)
} catch let error as StartError {
    log.error(error.message)
    exit(error.status)
} catch {
    log.error("\(error)")
    exit(EX_OSERR)
}
