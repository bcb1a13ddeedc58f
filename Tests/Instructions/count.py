#!/usr/bin/env python3
# Part of Usher. SPDX-License-Identifier: Apache-2.0
"""Counts the instructions that usherd takes for what it does most, under callgrind: count.py USHERD

Instructions are the same from run to run, whatever else the machine does; seconds are not. Each count has a bound far
above what it is, so that it fails when something is done for every request that should not be, and for nothing less.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time

BOUNDS = {
    "a read of the own user, 32 in flight": 1_500,
    "any other request, 32 in flight": 14_000,
    "a delivery to one of 100, 10 changes at a time": 1_500,
    "a change and its delivery to one": 70_000,
}
DEMO = ["--store", "memory", "--users", "demo", "--demo-delay", "0", "--demo-failure-rate", "0"]
# How often a loop looks while it waits is up to the clock.
REPEATABLE = ["--busy-poll", "0"]
SUBSCRIBE = b'{"id":1,"method":"subscribe","params":{"topic":"user","mode":"all"}}\n'


class Peer:
    """A connection whose lines are counted."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)

    def ask(self, lines, replies):
        self.socket.sendall(lines)
        self.wait(replies)

    def wait(self, lines):
        while lines > 0:
            received = self.socket.recv(1 << 16)
            if not received:
                sys.exit("count.py: the daemon closed a connection")
            lines -= received.count(b"\n")


class Daemon:
    """usherd under callgrind."""

    def __init__(self, program, folder):
        self.path = folder + "/s"
        self.output = folder + "/callgrind"
        # Valgrind cannot read what Swift writes for debuggers.
        stripped = folder + "/usherd"
        subprocess.run(["strip", "--strip-debug", "-o", stripped, program], check=True)
        configuration = folder + "/usherd.conf"
        open(configuration, "x", encoding="utf-8").close()
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + self.output, stripped]
            + ["--config", configuration, "--socket", self.path] + DEMO + REPEATABLE,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "serving on" in line:
                break
        else:
            sys.exit("count.py: usherd did not start under valgrind")
        Peer(self.path).ask(b"fetch\n", 1)

    def instructions(self, work):
        """What `work` costs; all of it is over when its last line has arrived, but for the end of that turn."""
        self.control("--zero")
        work()
        time.sleep(0.2)
        self.control("--dump")
        dumps = sorted(name for name in os.listdir(os.path.dirname(self.output)) if "callgrind." in name)
        newest = os.path.join(os.path.dirname(self.output), dumps[-1])
        with open(newest, encoding="utf-8", errors="replace") as dump:
            return int(re.search(r"^(?:summary|totals): (\d+)", dump.read(), re.MULTILINE).group(1))

    def control(self, what):
        subprocess.run(
            ["callgrind_control", what, str(self.process.pid)], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        self.process.stderr.read()
        if self.process.wait() != 0:
            sys.exit("count.py: usherd failed under valgrind")


def requests(daemon, line, count=6_400, in_flight=32):
    peer = Peer(daemon.path)
    peer.ask(line, 1)

    def work():
        for _ in range(count // in_flight):
            peer.ask(line * in_flight, in_flight)
    return daemon.instructions(work) / count


def deliveries(daemon, subscribers, changes, burst):
    peers = [Peer(daemon.path) for _ in range(subscribers)]
    for peer in peers:
        peer.ask(SUBSCRIBE, 1)
    publisher = Peer(daemon.path)

    def change(number):
        return b'{"id":2,"method":"user.rename","params":{"name":"%s%d"}}\n' % (b"x" * 60, number)

    def work():
        for first in range(0, changes, burst):
            publisher.ask(b"".join(map(change, range(first, first + burst))), burst)
            for peer in peers:
                peer.wait(burst)
    result = daemon.instructions(work) / (changes * subscribers)
    for peer in peers:
        peer.socket.close()
    return result


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(program, folder)
        counts = [
            requests(daemon, b'{"jsonrpc":"2.0","id":1,"method":"user.get"}\n'),
            requests(daemon, b'{"jsonrpc":"2.0","id":1,"method":"user.get","params":{"user":0}}\n'),
            deliveries(daemon, 100, 200, 10),
            deliveries(daemon, 1, 500, 1),
        ]
        daemon.stop()
    failed = 0
    for (name, bound), count in zip(BOUNDS.items(), counts):
        print(f"{name}: {count:,.0f} instructions, at most {bound:,}")
        failed += count > bound
    print(f"{len(counts) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
