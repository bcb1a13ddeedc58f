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
        if !isGathering { gather() }
        unsafe gathering.append(first)
        unsafe gathering.append(second)
        return true
    }

    /// The same with the last piece of a shared output.
    ///
    /// It is sent uncopied if the connection has nothing unsent but the pieces just before it.
    package func write(lastOf output: SharedOutput, unlessUnsentAbove limit: Int) -> Bool {
        guard phase == .open, unsentBytes <= limit else { return false }
        if shared?.output === output, shared?.end == output.lastPiece {
            shared?.end = output.count
        } else if !isFlushScheduled, unsafe gathering.isEmpty {
            shared = SharedPart(lastOf: output)
            scheduleFlush()
        } else {
            if !isGathering { gather() }
            SharedPart(lastOf: output).withBytes { unsafe gathering.append($0) }
        }
        return true
    }

    package func write(_ text: StaticString) { output.append(text) }

    /// What was appended and has not reached the kernel.
    package var unsentBytes: Int {
        unsafe gathering.count + sending.count - sent + (shared?.count ?? 0)
    }

    /// Has the output sent at the end of this turn; whoever appends to `output` need not call it.
    package func scheduleFlush() {
        if isFlushScheduled { return }
        loop.assertCurrent()
        isFlushScheduled = true
        loop.turn.schedule(self)
    }

    /// Begins to append this turn's output, behind the shared pieces that were all of it so far.
    func gather() {
        scheduleFlush()
        isGathering = true
        shared.take()?.withBytes { unsafe gathering.append($0) }
    }

    /// Sends what was gathered, unless a write is under way: its end comes back here.
    func flush() {
        if isSending, shared != nil { gather() }
        isFlushScheduled = false
        isGathering = false
        switch phase {
        case .open, .flushing:
            break
        case .lingering, .closed:
            unsafe gathering.removeAll()
            shared = nil
            return
        }
        // Before any of it is sent: also what the socket takes at once has drained then.
        noteBacklog()
        if isSending { return }
        if let part = shared.take() {
            send(part)
        } else if unsafe !gathering.isEmpty {
            send()
        }
        noteDrain()
        if phase == .flushing, unsentBytes == 0 { linger() }
    }

    private func send() {
        guard let base = unsafe gathering.base else { return }
        let size = unsafe gathering.count
        guard let taken = unsafe give(base, size) else { return }
        if taken == size {
            unsafe gathering.removeAll()
        } else {
            unsafe swap(&gathering, &sending)
            sendRestLater(after: taken)
        }
    }

    private func send(_ part: SharedPart) {
        let taken = part.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe bytes.baseAddress.flatMap { unsafe give($0, bytes.count) }
            }
        }
        guard let taken, taken < part.count else { return }
        part.withBytes { sending.append($0) }
        sendRestLater(after: taken)
    }

    private func sendRestLater(after taken: Int) {
        sent = taken
        watch()
        onBacklog?()
    }

    /// The socket has room for more of what it did not take.
    func sendOn() {
        // Whoever appended earlier in this turn saw both together, and waits for a drain if that was above the mark.
        noteBacklog()
        guard let base = unsafe sending.base,
            let taken = unsafe give(base + sent, sending.count - sent)
        else { return }
        sent += taken
        guard sent == sending.count else { return }
        sending.removeAll()
        sent = 0
        if unsafe !gathering.isEmpty || phase == .flushing { scheduleFlush() }
        noteDrain()
    }

    /// Gives the kernel what it takes now, and says how much; nil if that failed and the connection is closed.
    private func give(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        while true {
            let taken = unsafe Glibc.send(descriptor, bytes, count, Self.sendFlags)
            if taken >= 0 {
                writtenBytes += UInt64(taken)
                return taken
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default:
                close(.failed(LoopError("write", code: errno)))
                return nil
            }
        }
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
}
