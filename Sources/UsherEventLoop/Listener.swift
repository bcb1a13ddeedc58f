// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Accepts by hand instead of through `uv_listen`: when descriptors run out and libuv's spare one
// cannot be reopened, libuv 1.44 calls back for ever within one turn. Here the spare descriptor is
// given up to accept and close whoever waits, so that they see a refusal rather than silence; when
// even that fails, the listener pauses.

internal import CUsherUV
internal import Glibc

/// Accepts connections from a listening socket.
///
/// It stays alive until closed. When the process runs out of descriptors, waiting peers are
/// accepted and closed at once, established connections go on, and accepting resumes by itself.
package final class Listener {
    /// How many connections that found no descriptor were closed at once, so far.
    package private(set) var refusals = 0

    /// How many connections are accepted before other events get their turn.
    static let batch = 16
    /// How long accepting pauses when no descriptor is left at all.
    static let pauseMilliseconds: UInt64 = 100

    private let loop: EventLoop
    private var descriptor: Int32
    /// A descriptor held back for refusing; -1 while none could be had.
    var spare: Int32
    private var onConnection: ((Connection) -> Void)?
    private var watch: Poll?
    private var pause: Timer?

    /// Takes over a bound stream socket, which is closed here also if this fails, and listens on
    /// it.
    ///
    /// Connections come not reading yet. A socket that listens already, as one inherited from
    /// systemd does, is fine.
    package init(
        on loop: EventLoop, descriptor: Int32, backlog: Int32 = 511,
        onConnection: @escaping (Connection) -> Void
    ) throws(LoopError) {
        loop.assertCurrent()
        self.loop = loop
        self.descriptor = descriptor
        self.onConnection = onConnection
        spare = openSpare()
        do throws(LoopError) {
            guard listen(descriptor, backlog) == 0 else { throw LoopError.last("listen") }
            let watch = try Poll(on: loop, descriptor: descriptor) { [self] _ in accept() }
            watch.start(.readable)
            self.watch = consume watch
        } catch {
            closeDescriptors()
            throw error
        }
        pause = Timer(on: loop) { [self] in resume() }
    }

    /// Stops accepting; connections go on, nothing is unlinked, a second call has no effect.
    package func close() {
        loop.assertCurrent()
        watch = nil
        pause = nil
        onConnection = nil
        closeDescriptors()
    }

    private func accept() {
        for _ in 0..<Self.batch where descriptor >= 0 {
            let accepted = accept4(
                descriptor, nil, nil, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
            if accepted >= 0 {
                // A failure here has closed the socket: the peer sees it.
                if let connection = try? Connection(on: loop, adopting: accepted) {
                    onConnection?(connection)
                }
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return
            case EMFILE, ENFILE: if !refuse() { return }
            default: return rest()
            }
        }
    }

    /// Accepts and closes one connection with the spare descriptor; false if nobody waited or there
    /// was no way.
    private func refuse() -> Bool {
        guard spare >= 0 else {
            rest()
            return false
        }
        _ = Glibc.close(spare)
        let refused = Glibc.accept(descriptor, nil, nil)
        if refused >= 0 {
            _ = Glibc.close(refused)
            refusals += 1
        }
        spare = openSpare()
        return refused >= 0
    }

    /// Stops watching for a moment: the socket would stay ready, and the loop spin.
    private func rest() {
        watch?.stop()
        pause?.start(afterMilliseconds: Self.pauseMilliseconds)
    }

    private func resume() {
        if spare < 0 { spare = openSpare() }
        watch?.start(.readable)
    }

    private func closeDescriptors() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        if spare >= 0 { _ = Glibc.close(spare) }
        descriptor = -1
        spare = -1
    }
}

/// Opens a descriptor that is worth nothing but its place in the table.
private func openSpare() -> Int32 {
    unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
}
