// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import UsherEventLoop

@Suite struct SignalWatcherTests {
    @Test func `A signal calls back on the loop`() throws {
        try withLoop { loop in
            var count = 0
            let watcher = try SignalWatcher(on: loop, signal: SIGUSR2) {
                count += 1
                loop.stop()
            }
            kill(getpid(), SIGUSR2)
            loop.runUntilStopped()
            #expect(count == 1)
            _ = consume watcher
        }
    }

    @Test func `A signal that cannot be caught is an error`() throws {
        try withLoop { loop in
            #expect(throws: LoopError("watch signal \(SIGKILL)", code: EINVAL)) {
                _ = try SignalWatcher(on: loop, signal: SIGKILL) {}
            }
        }
    }
}

@Suite struct PollTests {
    @Test func `A descriptor is reported readable, writable and disconnected`() throws {
        try withLoop { loop in
            let (end, peer) = try Peer.pair()
            var seen: [PollEvents] = []
            let watch = try Poll(on: loop, descriptor: end) { events in
                seen.append(events)
                loop.stop()
            }
            watch.start(.writable)
            loop.runUntilStopped()
            watch.start(.readable)
            peer.send("x")
            loop.runUntilStopped()
            watch.start([.disconnect])
            peer.endWriting()
            loop.runUntilStopped()
            #expect(seen == [.writable, .readable, .disconnect])
            watch.stop()
            loop.turnOnce()
            #expect(seen.count == 3)
            _ = consume watch
            close(end)
        }
    }

    @Test func `An error ends the watch and is reported`() throws {
        try withLoop { loop in
            let (end, peer) = try Peer.pair()
            // Closing with input unread resets the connection.
            _ = unsafe write(end, "x", 1)
            var seen: [PollEvents] = []
            let watch = try Poll(on: loop, descriptor: end) { events in
                seen.append(events)
                loop.stop()
            }
            watch.start(.writable)
            peer.close()
            loop.runUntilStopped()
            #expect(seen == [.error])
            loop.turnOnce()
            #expect(seen.count == 1)
            _ = consume watch
            close(end)
        }
    }

    @Test func `The descriptor may be closed right after the watch was dropped`() throws {
        try withLoop { loop in
            for _ in 0..<3 {
                let (end, peer) = try Peer.pair()
                var count = 0
                do {
                    let watch = try Poll(on: loop, descriptor: end) { _ in count += 1 }
                    watch.start(.readable)
                    loop.turnOnce()
                }
                peer.send("x")
                close(end)
                loop.turnOnce()
                #expect(count == 0)
            }
        }
    }

    @Test func `A regular file cannot be polled`() throws {
        try withLoop { loop in
            let file = unsafe open("/proc/self/status", O_RDONLY)
            defer { close(file) }
            #expect(throws: LoopError("poll descriptor \(file)", code: EPERM)) {
                _ = try Poll(on: loop, descriptor: file) { _ in }
            }
        }
    }
}

@Suite struct WorkTests {
    @Test func `Work runs elsewhere and its result comes to the loop`() throws {
        try withLoop { loop in
            let box = LoopBound(0, on: loop)
            var sum = 0
            for number in 1...100 {
                loop.work {
                    box.isOpenable ? -1_000_000 : number
                } then: { result in
                    #expect(loop.isCurrent)
                    sum += result
                }
            }
            loop.run(until: { sum == 5050 })
        }
    }

    @Test func `Closing the loop waits for work in flight`() throws {
        let loop = try EventLoop()
        var results = 0
        for _ in 0..<10 {
            loop.work {
                1
            } then: {
                results += $0
            }
        }
        loop.close()
        #expect(results == 10)
    }
}

@Suite struct LoopErrorTests {
    @Test func `An error names operation, message and code`() {
        let error = LoopError("bind /x", code: EADDRINUSE)
        #expect(error.name == "EADDRINUSE")
        #expect(error.description == "bind /x: address already in use (EADDRINUSE)")
    }
}

@Suite struct PeerCredentialsTests {
    @Test func `A socket pair's peer is this process`() throws {
        let (end, peer) = try Peer.pair()
        defer { close(end) }
        let credentials = try PeerCredentials(of: peer.descriptor)
        #expect(credentials.pid == getpid())
        #expect(credentials.uid == geteuid())
        #expect(credentials.gid == getegid())
        var own = [gid_t](repeating: 0, count: 256)
        let count = unsafe getgroups(256, &own)
        #expect(credentials.groups.sorted() == own.prefix(Int(count)).sorted())
    }

    @Test func `What is not a Unix socket has no credentials`() {
        #expect(throws: LoopError("read peer credentials", code: EBADF)) {
            _ = try PeerCredentials(of: -1)
        }
    }
}
