// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How much an EventStream keeps for a loop that is slower than the events.
public enum Buffering: Sendable {
    /// Keeps the newest so many, and drops the oldest for a new one.
    case newest(Int)
    /// Keeps the oldest so many, and drops new ones until there is room.
    case oldest(Int)
    /// Keeps everything: for loops that are known to keep up.
    case unbounded
}

/// What has arrived for one loop over an EventStream and was not taken yet, and the loop if it
/// waits.
@usableFromInline
final class Mailbox<Element: Sendable>: Sendable {
    @usableFromInline let policy: Buffering
    @usableFromInline let state = Guarded(State())

    /// Invariant: while a loop waits, nothing is buffered.
    @usableFromInline
    struct State: Sendable {
        @usableFromInline var buffer = Queue<Element>()
        @usableFromInline var waiter: Waiter<Element?>?
        @usableFromInline var hasEnded = false
        @usableFromInline var dropped = 0

        @inlinable
        init() {}
    }

    @inlinable
    init(_ policy: Buffering) {
        self.policy = policy
    }

    @inlinable
    func receive(_ element: Element) {
        let (waiter, displaced) = state.withLock { state in
            var waiter: Waiter<Element?>?
            swap(&waiter, &state.waiter)
            let displaced = waiter == nil ? state.keep(element, policy) : nil
            return (waiter, displaced)
        }
        _ = displaced
        waiter?.resume(returning: element)
    }

    /// Nothing follows what is in the buffer.
    @inlinable
    func end() {
        let waiter = state.withLock { state in
            state.hasEnded = true
            return state.takeWaiter()
        }
        waiter?.resume(returning: nil)
    }

    /// Nothing follows at all: what is in the buffer goes too.
    @inlinable
    func close() {
        let (waiter, buffer) = state.withLock { state in
            var buffer = Queue<Element>()
            swap(&buffer, &state.buffer)
            state.hasEnded = true
            return (state.takeWaiter(), buffer)
        }
        _ = buffer
        waiter?.resume(returning: nil)
    }

    @inlinable
    func next(isolation actor: isolated (any Actor)?) async -> Element? {
        if let answer = state.withLock({ $0.answer() }) { return answer }
        return await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                let answer = state.withLock { state -> Element?? in
                    precondition(state.waiter == nil, "one iterator, two calls of next() at a time")
                    let answer = state.answer()
                    if answer == nil { state.waiter = Waiter(continuation) }
                    return answer
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            close()
        }
    }
}

extension Mailbox.State {
    /// The next element, or nil inside for the end, or nil when the loop has to wait.
    @inlinable
    mutating func answer() -> Element?? {
        if let element = buffer.popFirst() { return .some(element) }
        return hasEnded ? .some(nil) : nil
    }

    @inlinable
    mutating func takeWaiter() -> Waiter<Element?>? {
        defer { waiter = nil }
        return waiter
    }

    /// Buffers the element within the bounds; returns what had to go, to be released after
    /// unlocking.
    @inlinable
    mutating func keep(_ element: Element, _ policy: Buffering) -> Element? {
        guard !hasEnded else { return nil }
        switch policy {
        case .unbounded:
            buffer.append(element)
        case .oldest(let bound):
            guard buffer.count < bound else {
                dropped &+= 1
                return nil
            }
            buffer.append(element)
        case .newest(let bound):
            guard buffer.count >= bound else {
                buffer.append(element)
                return nil
            }
            dropped &+= 1
            guard bound > 0 else { return nil }
            let oldest = buffer.popFirst()
            buffer.append(element)
            return oldest
        }
        return nil
    }
}
