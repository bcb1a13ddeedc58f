// Part of Usher. SPDX-License-Identifier: Apache-2.0

import CUsherMalloc
import Glibc
import UsherDaemon
import UsherEventLoop
import UsherOptions
import UsherWire

// What a service sends and what it is read with takes megabytes for a moment. Left alone, glibc learns from the first such
// piece to cut the next from the heap of the thread that asks, of which there are several, and keeps it there.
_ = mallopt(M_MMAP_THRESHOLD, 1 << 20)

let log = Log()
// Kept to the end of the process, also when the start fails: a loop that something still hangs in
// cannot be released.
var loop: EventLoop?
do {
    let environment = ProcessEnvironment.variables
    let service = ServiceEnvironment.take(from: environment)
    let source = ConfigurationSource(
        CommandLine.arguments, environment: environment, uid: getuid())
    switch try source.read() {
    case .help: print(ConfigurationSource.help)
    case .version: print("usherd \(productVersion)")
    case .completions(let shell):
        print(ConfigurationSource.completions(for: shell), terminator: "")
    case .print(let configuration): print(configuration.asFile, terminator: "")
    case .check(let configuration):
        try Daemon.check(configuration, log: log)
        print("the configuration is well")
    case .serve(let configuration):
        let eventLoop = try EventLoop()
        loop = eventLoop
        let daemon = try Daemon(configuration, from: source, in: service, on: eventLoop, log: log)
        try daemon.run()
        exit(EX_OK)
    }
} catch let error as UsageError {
    log.put("usherd: \(error)")
    exit(EX_USAGE)
} catch let error as ConfigurationError {
    for problem in error.problems { log.error(problem) }
    exit(error.status)
} catch let error as StartError {
    log.error(error.message)
    exit(error.status)
} catch {
    log.error("\(error)")
    exit(EX_OSERR)
}
