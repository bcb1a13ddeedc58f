// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Closing a socket with input unread makes the kernel report ECONNRESET to the peer, which may then
// never see the reply that was sent just before. So a polite close sends everything, shuts the
// writing side, throws input away until the peer closes too, and only then closes. A deadline
// covers all of it: a peer that neither reads nor closes must not hold the connection for ever.
// A close that is in a hurry does not wait for the peer: it shuts both sides, so that nothing more
// can arrive, and empties the input itself. The peer reads everything then too, but what it goes
// on sending fails (EPIPE).

internal import CUsherUV
internal import Glibc

extension Connection {
    /// How long `closeAfterFlush` waits by default, in milliseconds.
    package static let flushDeadlineMilliseconds: UInt64 = 2000

    /// Sends all output, then closes in a way that lets the peer read it.
    ///
    /// Input is thrown away from now on and `onEnd` not called any more. `onClose` says `.local` if
    /// everything was sent, `.failed` with ETIMEDOUT if the peer did not take it in time, `.hangUp`
    /// if it left. Without a deadline the peer may take as long as it likes to read, and only what
    /// comes after that has the default one. A close that does not linger ends as soon as
    /// everything was sent. Called again, it gives a new deadline or ends the lingering; it has no
    /// effect once closed.
    package func closeAfterFlush(
        withinMilliseconds deadline: UInt64? = Connection.flushDeadlineMilliseconds,
        lingers: Bool = true
    ) {
        loop.assertCurrent()
        switch phase {
        case .open: break
        case .flushing, .lingering:
            hasten(deadline, lingers: lingers)
            return
        case .closed: return
        }
        phase = .flushing
        self.lingers = lingers
        onRead = nil
        onEnd = nil
        onDrain = nil
        watchInput()
        if let deadline { setDeadline(deadline) }
        scheduleFlush()
    }

    private func hasten(_ deadline: UInt64?, lingers: Bool) {
        if !lingers { self.lingers = false }
        if phase == .lingering, !self.lingers {
            leave()
        } else if let deadline {
            setDeadline(deadline)
        }
    }

    private func setDeadline(_ milliseconds: UInt64) {
        let timer = Timer(on: loop) { [unowned self] in giveUp() }
        timer.start(afterMilliseconds: milliseconds)
        flushDeadline = consume timer
    }

    /// Closes at once, in any state and any callback; what is unsent is lost, and a second call has
    /// no effect.
    package func close(_ reason: CloseReason = .local) {
        loop.assertCurrent()
        if case .closed = phase { return }
        phase = .closed(reason)
        if hasEnded { loop.hangUps.remove(self) }
        flushDeadline = nil
        onRead = nil
        onEnd = nil
        onDrain = nil
        onBacklog = nil
        unsafe uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) {
            handle in
            guard let data = unsafe handle?.pointee.data else { return }
            unsafe Unmanaged<Connection>.fromOpaque(data).takeRetainedValue().closed()
        }
        _ = Glibc.close(descriptor)
        descriptor = -1
    }

    /// Everything was sent.
    func linger() {
        if hasEnded {
            close()
            return
        }
        guard lingers else {
            leave()
            return
        }
        phase = .lingering
        if flushDeadline == nil { setDeadline(Self.flushDeadlineMilliseconds) }
        // Fails only if the peer is gone, which the next read tells.
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes without waiting for the peer, and without a reset.
    private func leave() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
        // It is as much as the kernel holds, no more can come.
        var count = 1
        while count > 0 {
            count = unsafe recv(
                descriptor, loop.receiveBuffer, EventLoop.receiveBufferSize, Int32(MSG_DONTWAIT))
        }
        close()
    }

    private func giveUp() {
        if phase == .lingering {
            close()
        } else {
            close(.failed(LoopError("flush before close", code: ETIMEDOUT)))
        }
    }

    /// libuv is done with the handle.
    private func closed() {
        guard case .closed(let reason) = phase else { return }
        unsafe handle.deallocate()
        unsafe gathering.removeAll()
        sending.removeAll()
        shared = nil
        let onClose = onClose.take()
        onClose?(reason)
    }
}
