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
        unsafe uv_read_stop(pipe.stream)
    }

    func watchInput() {
        guard !isReading, !hasEnded else { return }
        isReading = true
        let status = unsafe uv_read_start(pipe.stream, lendReceiveBuffer, received)
        if status != 0 { close(.failed(LoopError("read", code: -status))) }
    }

    fileprivate func receive(_ size: Int, from buffer: UnsafePointer<uv_buf_t>?) {
        if size > 0 {
            guard phase == .open, let onRead else { return }
            unsafe onRead(UnsafeBufferPointer(start: loop.receiveBuffer, count: size).span)
        } else if size == Int(UV_EOF.rawValue) {
            end()
        } else if size < 0 {
            close(.failed(LoopError("read", code: Int32(-size))))
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

private func lendReceiveBuffer(
    _ handle: UnsafeMutablePointer<uv_handle_t>?, _ suggestion: Int,
    _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
    guard let handle = unsafe handle, let buffer = unsafe buffer else { return }
    let memory = unsafe handle.pointee.loop.pointee.data.assumingMemoryBound(to: CChar.self)
    unsafe buffer.pointee = uv_buf_t(base: memory, len: EventLoop.receiveBufferSize)
}

private func received(
    _ stream: UnsafeMutablePointer<uv_stream_t>?, _ size: Int, _ buffer: UnsafePointer<uv_buf_t>?
) {
    unsafe withContext(stream?.pointee.data, as: Connection.self) { connection in
        unsafe connection.receive(size, from: buffer)
    }
}
