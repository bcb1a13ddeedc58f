// Part of Usher. SPDX-License-Identifier: Apache-2.0

// One stream socket. What to expect of it:
//
// - Output is only ever appended; nothing is sent, and so no callback made, inside a call to
// `write` or `close`. At the end of the turn all that was appended goes out in one `send(2)`; what
// the socket does not take waits for room in a buffer of its own, while new output gathers in a
// second one.
// - The end of input is not the end of the connection: replies can still be written. When the peer
// is gone altogether, that is noticed without writing.
// - `onClose` comes later in the same turn or in the next, never inside the call that caused it, so
// that a loop over many connections may write to and close any of them.
//
// libuv only says when the socket is ready. Its streams would read and write too, but with read(2)
// and write(2), which go through the file system's layers; a socket's own calls and the shorter way
// to them make a request and its answer a tenth cheaper.

internal import CUsherUV
internal import Glibc

/// An open stream socket on a loop.
///
/// It stays open, and alive, until it is closed: dropping the last reference does not close it.
@safe
package final class Connection {
    /// Receives input; the bytes are the loop's shared receive buffer, valid during the call only.
    package var onRead: ((Span<UInt8>) -> Void)?
    /// Called once, when the peer has closed its writing side; this side may go on writing.
    package var onEnd: (() -> Void)?
    /// Called after a flush of which the socket did not take all, once until it has.
    ///
    /// It stays in place during ``closeAfterFlush(withinMilliseconds:lingers:)``.
    package var onBacklog: (() -> Void)?
    /// Called when `unsentBytes`, having been above `lowWater` when a flush began or a write ended, is so no more.
    package var onDrain: (() -> Void)?
    /// Called exactly once, after `close()`, `closeAfterFlush()` or a failure; all callbacks are
    /// dropped with it.
    package var onClose: ((CloseReason) -> Void)?
    /// The mark for `onDrain`, in bytes.
    package var lowWater = defaultLowWater {
        didSet { if unsentBytes > lowWater { isAboveLowWater = true } }
    }
    /// The socket, for ``PeerCredentials`` and logs; -1 once closed.
    package internal(set) var descriptor: Int32

    package static let defaultLowWater = 64 * 1024

    let loop: EventLoop
    let handle: UnsafeMutablePointer<uv_poll_t>
    /// What libuv watches the socket for; may be more than is wanted for the time being.
    var watched: PollEvents = []
    var phase = Phase.open
    var isReading = false
    var hasEnded = false
    var flushDeadline: Timer?
    /// Whether a polite close waits for the peer to close too.
    var lingers = true

    /// Set while the connection is in its turn's list of those to flush.
    var isFlushScheduled = false
    /// The output of this turn, if it is nothing but pieces that other connections send too.
    var shared: SharedPart?
    /// Whether the output of this turn is appended to ``gathering``, which ``gather()`` begins.
    var isGathering = false
    /// The output of this turn.
    ///
    /// Unchecked, because with the check an access from another module costs a heap allocation.
    /// That accesses do not overlap is easy to see: none but `output` lasts longer than a call.
    @exclusivity(unchecked) var gathering: OutputBuffer
    /// What the socket did not take at once, of which `sent` bytes have gone by now.
    var sending: OutputBuffer
    var sent = 0
    /// Bytes that the kernel took.
    var writtenBytes: UInt64 = 0
    var isAboveLowWater = false

    /// The way from open to closed.
    enum Phase: Equatable {
        case open
        /// `closeAfterFlush` was called: output is still to be sent, input is thrown away.
        case flushing
        /// All was sent and the writing side shut; input is thrown away until the peer closes too.
        case lingering
        case closed(CloseReason)
    }

    /// Takes over a connected stream socket, which is closed here also if this fails.
    package init(on loop: EventLoop, adopting descriptor: Int32) throws(LoopError) {
        loop.assertCurrent()
        self.loop = loop
        self.descriptor = descriptor
        unsafe gathering = OutputBuffer(pool: loop.outputPool)
        sending = OutputBuffer(pool: loop.outputPool)
        unsafe handle = .allocate(capacity: 1)
        let status = unsafe uv_poll_init(loop.uv, handle, descriptor)
        guard status == 0 else {
            unsafe handle.deallocate()
            _ = Glibc.close(descriptor)
            throw LoopError("open socket \(descriptor)", code: -status)
        }
        // Given back in the close callback.
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    /// Bytes to send go in here; they are sent at the end of this turn.
    package var output: OutputBuffer {
        _read { yield unsafe gathering }
        _modify {
            if !isGathering { gather() }
            yield unsafe &gathering
        }
    }

    /// Whether `close` was not called and nothing failed yet; a connection that is flushing is no
    /// longer open.
    package var isOpen: Bool { phase == .open }
}

extension Connection {
    /// Whether there is something that the socket did not take.
    var isSending: Bool { !sending.isEmpty }

    private var wanted: PollEvents {
        var events: PollEvents = []
        if isReading { events.insert(.readable) }
        if isSending { events.insert(.writable) }
        return events
    }

    /// Has libuv watch for what is waited for now.
    ///
    /// It costs two system calls, so what is merely not wanted for a while stays watched until it comes.
    func watch() {
        if case .closed = phase { return }
        if !watched.isSuperset(of: wanted) { watchExactly() }
    }

    /// The same, and for nothing else.
    private func watchExactly() {
        watched = wanted
        // Nothing to watch for stops it.
        let status = unsafe uv_poll_start(handle, watched.rawValue) { handle, status, events in
            unsafe withContext(handle?.pointee.data, as: Connection.self) { connection in
                connection.ready(status < 0 ? connection.watched : PollEvents(rawValue: events))
                // An error has stopped the watch, and may have something to read before it.
                if status < 0 { connection.watchAgain() }
            }
        }
        if status != 0 { close(.failed(LoopError("poll", code: -status))) }
    }

    private func ready(_ events: PollEvents) {
        loop.turn.workCame()
        if events.contains(.readable), isReading { receive() }
        if case .closed = phase { return }
        if events.contains(.writable), isSending { sendOn() }
        if case .closed = phase { return }
        // It would come again and again, as after the end of input.
        if !wanted.isSuperset(of: events) { watchExactly() }
    }

    private func watchAgain() {
        watched = []
        watch()
    }
}
