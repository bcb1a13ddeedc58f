// Part of Usher. SPDX-License-Identifier: Apache-2.0

// One stream socket. What to expect of it:
//
// - Output is only ever appended; nothing is sent, and so no callback made, inside a call to
// `write` or `close`. At the end of the turn all that was appended goes out in one `write(2)`; what
// the socket does not take waits in libuv, its bytes in a buffer of their own, while new output
// gathers in a second one.
// - The end of input is not the end of the connection: replies can still be written. When the peer
// is gone altogether, that is noticed without writing.
// - `onClose` comes later in the same turn or in the next, never inside the call that caused it, so
// that a loop over many connections may write to and close any of them.

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
    let pipe: UnsafeMutablePointer<uv_pipe_t>
    var phase = Phase.open
    var isReading = false
    var hasEnded = false
    var flushDeadline: Timer?
    /// Whether a polite close waits for the peer to close too.
    var lingers = true

    /// Set while the connection is in its turn's list of those to flush.
    var isFlushScheduled = false
    /// The output of this turn.
    ///
    /// Unchecked, because with the check an access from another module costs a heap allocation.
    /// That accesses do not overlap is easy to see: none but `output` lasts longer than a call.
    @exclusivity(unchecked) var gathering: OutputBuffer
    /// What libuv is writing; stable until its write callback.
    var sending: OutputBuffer
    let request: UnsafeMutablePointer<uv_write_t>
    var isSending = false
    /// Bytes that the kernel took and whose write has ended.
    var writtenBytes: UInt64 = 0
    /// How long the write is that libuv has in hand.
    var sendingSize = 0
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
        unsafe pipe = .allocate(capacity: 1)
        unsafe request = .allocate(capacity: 1)
        unsafe uv_pipe_init(loop.uv, pipe, 0)
        // Given back in the close callback.
        unsafe pipe.pointee.data = Unmanaged.passRetained(self).toOpaque()
        let status = unsafe uv_pipe_open(pipe, descriptor)
        guard status == 0 else {
            _ = Glibc.close(descriptor)
            let error = LoopError("open socket \(descriptor)", code: -status)
            close(.failed(error))
            throw error
        }
    }

    /// Bytes to send go in here; they are sent at the end of this turn.
    package var output: OutputBuffer {
        _read { yield unsafe gathering }
        _modify {
            if !isFlushScheduled { scheduleFlush() }
            yield unsafe &gathering
        }
    }

    /// Whether `close` was not called and nothing failed yet; a connection that is flushing is no
    /// longer open.
    package var isOpen: Bool { phase == .open }
}

extension UnsafeMutablePointer<uv_pipe_t> {
    var stream: UnsafeMutablePointer<uv_stream_t> {
        unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: uv_stream_t.self)
    }
}
