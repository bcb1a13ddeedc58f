// Part of Usher. SPDX-License-Identifier: Apache-2.0

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments {
case ["streams"]:
    let table = await StreamsBenchmark().run()
    print(table)
default:
    print("usher-bench streams   the streams of UsherStreams beside closures under a lock")
}
