// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV
internal import Glibc

extension Connection {
    /// Appends bytes to the output of this turn, as `output.append` does; never sends at once.
    package func write(_ bytes: [UInt8]) { output.append(bytes) }

    package func write(_ bytes: Span<UInt8>) { output.append(bytes) }

    package func write(_ bytes: some Sequence<UInt8>) {
        output.append(contentsOf: bytes)
    }

    /// Appends two pieces, unless the connection closes or has more than `limit` bytes unsent; false then.
    ///
    /// It is one call because a change goes to a thousand connections in a row.
    package func write(
        _ first: [UInt8], _ second: [UInt8], unlessUnsentAbove limit: Int
    ) -> Bool {
        guard phase == .open, unsentBytes <= limit else { return false }
        if !isFlushScheduled { scheduleFlush() }
        unsafe gathering.append(first)
        unsafe gathering.append(second)
        return true
    }

    package func write(_ text: StaticString) { output.append(text) }

    /// What was appended and has not reached the kernel.
    package var unsentBytes: Int {
        unsafe gathering.count + (isSending ? uv_stream_get_write_queue_size(pipe.stream) : 0)
    }

    /// Has the output sent at the end of this turn; whoever appends to `output` need not call it.
    package func scheduleFlush() {
        if isFlushScheduled { return }
        loop.assertCurrent()
        isFlushScheduled = true
        loop.turn.schedule(self)
    }

    /// Sends what was gathered, unless a write is under way: its callback comes back here.
    func flush() {
        isFlushScheduled = false
        switch phase {
        case .open, .flushing:
            break
        case .lingering, .closed:
            unsafe gathering.removeAll()
            return
        }
        // Before any of it is sent: also what the socket takes at once has drained then.
        noteBacklog()
        if isSending { return }
        if unsafe !gathering.isEmpty { send() }
        noteDrain()
        if phase == .flushing, !isSending, unsafe gathering.isEmpty { linger() }
    }

    private func send() {
        guard let base = unsafe gathering.base else { return }
        let size = unsafe gathering.count
        // Not uv_try_write, which calls write(2): that goes through the file system's layers, and a push to a thousand
        // took a twentieth longer.
        var sent: Int
        repeat {
            sent = unsafe Glibc.send(descriptor, base, size, Self.sendFlags)
        } while sent < 0 && errno == EINTR
        if sent == size {
            writtenBytes += UInt64(size)
            unsafe gathering.removeAll()
            return
        }
        guard sent >= 0 || errno == EAGAIN else {
            close(.failed(LoopError("write", code: errno)))
            return
        }
        sent = max(sent, 0)
        unsafe swap(&gathering, &sending)
        isSending = true
        var buffer = unsafe uv_buf_t(
            base: UnsafeMutableRawPointer(base + sent).assumingMemoryBound(to: CChar.self),
            len: size - sent)
        writtenBytes += UInt64(sent)
        sendingSize = size - sent
        unsafe request.pointee.data = pipe.pointee.data
        let queued = unsafe uv_write(request, pipe.stream, &buffer, 1) { request, status in
            unsafe withContext(request?.pointee.data, as: Connection.self) { $0.sent(status) }
        }
        precondition(queued == 0, LoopError("uv_write", code: -queued).description)
        onBacklog?()
    }

    private static let sendFlags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)

    private func noteBacklog() {
        if unsentBytes > lowWater { isAboveLowWater = true }
    }

    private func noteDrain() {
        guard isAboveLowWater, unsentBytes <= lowWater else { return }
        isAboveLowWater = false
        onDrain?()
    }

    /// libuv's write ended, or the close cancelled it.
    private func sent(_ status: Int32) {
        // Whoever appended earlier in this turn saw both together, and waits for a drain if that was above the mark.
        if unsafe sendingSize + gathering.count > lowWater { isAboveLowWater = true }
        isSending = false
        sending.removeAll()
        if case .closed = phase { return }
        if status < 0 {
            close(.failed(LoopError("write", code: -status)))
            return
        }
        writtenBytes += UInt64(sendingSize)
        if unsafe !gathering.isEmpty || phase == .flushing { scheduleFlush() }
        noteDrain()
    }
}
