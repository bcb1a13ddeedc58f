// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Connection {
    package static let flushDeadlineMilliseconds: UInt64 = 2000

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

    package func close(_ reason: CloseReason = .local) {
        loop.assertCurrent()
        if isClosed { return }
        if unsentBytes > 0 { socket.cutShort() }
        phase = .closed(reason)
        flushDeadline = nil
        descriptor = -1
        onRead = nil
        onEnd = nil
        onDrain = nil
        onBacklog = nil
        socket.abandon()
        loop.scheduleClose(self)
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
        socket.end()
    }

    private func leave() {
        socket.end()
        socket.discardInput()
        close()
    }

    private func giveUp() {
        if phase == .lingering {
            close()
        } else {
            close(.failed(LoopError("flush before close", code: ETIMEDOUT)))
        }
    }

    /// The loop is done with the connection.
    func closed() {
        guard case .closed(let reason) = phase else { return }
        unsafe gathering.removeAll()
        let onClose = onClose.take()
        onClose?(reason)
    }

    /// The process is no more: lets go of what it would have called.
    func forget() {
        onRead = nil
        onEnd = nil
        onDrain = nil
        onBacklog = nil
        onClose = nil
        flushDeadline = nil
    }
}
