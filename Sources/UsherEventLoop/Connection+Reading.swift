// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV
internal import Glibc

extension Connection {
    /// Starts or resumes the delivery of input; no effect after the end of input or once closing.
    package func startReading() {
        loop.assertCurrent()
        if phase == .open { watchInput() }
    }

    /// Holds input back in the kernel, so that the peer's writes block in the end.
    ///
    /// The end of input, and a hang-up, go unnoticed meanwhile, except by a write that fails.
    package func stopReading() {
        loop.assertCurrent()
        guard phase == .open, isReading else { return }
        isReading = false
    }

    func watchInput() {
        guard !isReading, !hasEnded else { return }
        isReading = true
        watch()
    }

    /// Takes what is there, or as much as the buffer holds: the rest is for the next turn.
    func receive() {
        let size = unsafe recv(
            descriptor, loop.receiveBuffer, EventLoop.receiveBufferSize, Int32(MSG_DONTWAIT))
        if size > 0 {
            guard phase == .open, let onRead else { return }
            unsafe onRead(UnsafeBufferPointer(start: loop.receiveBuffer, count: size).span)
        } else if size == 0 {
            end()
        } else if errno != EAGAIN, errno != EINTR {
            close(.failed(LoopError("read", code: errno)))
        }
    }

    /// Input has ended: either the peer still listens, or it is gone.
    private func end() {
        isReading = false
        hasEnded = true
        if phase == .open { onEnd?() }
        switch phase {
        case .closed:
            return
        case .lingering:
            close()
            return
        case .open, .flushing:
            break
        }
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        if unsafe poll(&state, 1, 0) == 1 {
            close(.hangUp)
            return
        }
        do throws(LoopError) {
            try loop.hangUps.add(self)
        } catch {
            close(.failed(error))
        }
    }
}
