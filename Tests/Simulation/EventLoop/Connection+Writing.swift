// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Connection {
    package func write(_ bytes: [UInt8]) { output.append(bytes) }

    package func write(_ bytes: Span<UInt8>) { output.append(bytes) }

    package func write(_ bytes: some Sequence<UInt8>) { output.append(contentsOf: bytes) }

    package func write(
        _ first: [UInt8], _ second: [UInt8], unlessUnsentAbove limit: Int
    ) -> Bool {
        guard phase == .open, unsentBytes <= limit else { return false }
        write(first)
        write(second)
        return true
    }

    package func write(lastOf output: SharedOutput, unlessUnsentAbove limit: Int) -> Bool {
        write(output.piece, [], unlessUnsentAbove: limit)
    }

    package func write(_ text: StaticString) { output.append(text) }

    package var unsentBytes: Int {
        unsafe gathering.count + (isSending ? sending.count - sentOfSending : 0)
    }

    package func scheduleFlush() {
        if isFlushScheduled { return }
        loop.assertCurrent()
        isFlushScheduled = true
        loop.scheduleFlush(self)
    }

    package var outputProgress: OutputProgress {
        OutputProgress(
            written: writtenBytes + UInt64(isSending ? sentOfSending : 0), held: socket.heldBytes)
    }

    func flush() {
        isFlushScheduled = false
        switch phase {
        case .open, .flushing: break
        case .lingering, .closed:
            unsafe gathering.removeAll()
            return
        }
        noteBacklog()
        if isSending { return }
        if unsafe !gathering.isEmpty { send() }
        noteDrain()
        if phase == .flushing, !isSending, unsafe gathering.isEmpty { linger() }
    }

    private func send() {
        guard !socket.isGone else { return close(.failed(LoopError("write", code: EPIPE))) }
        let size = unsafe gathering.count
        let taken = min(size, socket.room)
        unsafe gathering.withBytes { socket.write(bytes: $0, 0..<taken) }
        if taken == size {
            writtenBytes += UInt64(size)
            unsafe gathering.removeAll()
            return
        }
        loop.partialWrites += 1
        unsafe swap(&gathering, &sending)
        isSending = true
        sentOfSending = taken
        onBacklog?()
    }

    /// The kernel has room again, or the peer is gone.
    func resumeSending() {
        guard !socket.isGone else { return close(.failed(LoopError("write", code: EPIPE))) }
        let size = sending.count
        let taken = min(size - sentOfSending, socket.room)
        let start = sentOfSending
        sending.withBytes { socket.write(bytes: $0, start..<start + taken) }
        sentOfSending += taken
        guard sentOfSending == size else { return }
        if unsafe size + gathering.count > lowWater { isAboveLowWater = true }
        isSending = false
        writtenBytes += UInt64(size)
        sending.removeAll()
        if unsafe !gathering.isEmpty || phase == .flushing { scheduleFlush() }
        noteDrain()
    }

    private func noteBacklog() {
        if unsentBytes > lowWater { isAboveLowWater = true }
    }

    private func noteDrain() {
        guard isAboveLowWater, unsentBytes <= lowWater else { return }
        isAboveLowWater = false
        onDrain?()
    }
}

extension PeerSocket {
    fileprivate func write(bytes: Span<UInt8>, _ range: Range<Int>) {
        for index in range { write(bytes[index]) }
    }
}
