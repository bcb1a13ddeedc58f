// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension Connection {
    package func startReading() {
        loop.assertCurrent()
        if phase == .open { watchInput() }
    }

    package func stopReading() {
        loop.assertCurrent()
        if phase == .open { isReading = false }
    }

    func watchInput() {
        if !hasEnded { isReading = true }
    }

    /// One read: a piece of input, the end of it, or a failure.
    func receive() {
        if let failure = socket.failure {
            close(.failed(LoopError("read", code: failure)))
        } else if !socket.arriving.isEmpty {
            let piece = socket.takePiece(isLookedAt: phase == .open)
            if phase == .open { onRead?(piece.span) }
        } else {
            end()
        }
    }

    private func end() {
        isReading = false
        hasEnded = true
        if phase == .open { onEnd?() }
        switch phase {
        case .closed: return
        case .lingering: close()
        case .open, .flushing: if socket.isGone { close(.hangUp) }
        }
    }
}
