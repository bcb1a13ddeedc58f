// Part of Usher. SPDX-License-Identifier: Apache-2.0

let usage = """
    usher-bench streams   the streams of UsherStreams beside closures under a lock
    usher-bench daemon    the daemon beside a bare libuv server and a bare fsync
    """
switch Array(CommandLine.arguments.dropFirst()) {
case ["streams"]:
    print(await StreamsBenchmark().run())
case ["daemon"]:
    raiseDescriptorLimit()
    var table = Table()
    try FootprintBenchmark().run(into: &table)
    try DurableBenchmark().run(into: &table)
    // Last, since it keeps this process on one core from then on.
    try TrafficBenchmark().run(into: &table)
    print(table)
default:
    print(usage)
}
