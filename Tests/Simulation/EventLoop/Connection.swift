// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// An open stream socket on a loop, which behaves as the real one does: see there.
package final class Connection {
    package var onRead: ((Span<UInt8>) -> Void)?
    package var onEnd: (() -> Void)?
    package var onBacklog: (() -> Void)?
    package var onDrain: (() -> Void)?
    package var onClose: ((CloseReason) -> Void)?
    package var lowWater = defaultLowWater {
        didSet { if unsentBytes > lowWater { isAboveLowWater = true } }
    }
    package internal(set) var descriptor: Int32

    package static let defaultLowWater = 64 * 1024

    let loop: EventLoop
    let socket: PeerSocket
    var phase = Phase.open
    var isReading = false
    var hasEnded = false
    var flushDeadline: Timer?
    var lingers = true
    var isFlushScheduled = false
    /// The output of this turn.
    @exclusivity(unchecked) var gathering: OutputBuffer
    /// What the kernel had no room for, and how much of it it has taken since.
    var sending: OutputBuffer
    var sentOfSending = 0
    var isSending = false
    var writtenBytes: UInt64 = 0
    var isAboveLowWater = false

    enum Phase: Equatable {
        case open, flushing, lingering
        case closed(CloseReason)
    }

    init(on loop: EventLoop, _ socket: PeerSocket) {
        self.loop = loop
        self.socket = socket
        descriptor = socket.descriptor
        unsafe gathering = OutputBuffer(pool: loop.outputPool)
        sending = OutputBuffer(pool: loop.outputPool)
        loop.connections.append(self)
    }

    package var output: OutputBuffer {
        _read { yield unsafe gathering }
        _modify {
            if !isFlushScheduled { scheduleFlush() }
            yield unsafe &gathering
        }
    }

    package var isOpen: Bool { phase == .open }

    var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    // MARK: What is ready

    var isReadable: Bool {
        isReading && !isClosed
            && (!socket.arriving.isEmpty || socket.hasEnded || socket.failure != nil)
    }

    var isWritable: Bool { isSending && !isClosed && (socket.room > 0 || socket.isGone) }

    var isHungUp: Bool { hasEnded && socket.isGone && (phase == .open || phase == .flushing) }
}

/// How far a peer has come with what was written to it.
package struct OutputProgress: Equatable, Sendable {
    let written: UInt64
    let held: Int

    package func isAhead(of earlier: OutputProgress) -> Bool {
        written > earlier.written || held < earlier.held
    }
}
