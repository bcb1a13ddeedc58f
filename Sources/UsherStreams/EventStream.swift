// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Things that happen: every observer and every loop sees each one, in order.
///
/// Observers are called in the order they subscribed, by the thread that sends, one call at a
/// time. What is sent inside an observer waits for its turn. Nothing that happened before
/// somebody subscribed is repeated for them.
public final class EventStream<Element: Sendable>: AsyncSequence, Sendable {
    /// No stream fails: errors are states.
    public typealias Failure = Never

    /// What a loop keeps when it is slower than the events, unless `buffering(_:)` says otherwise.
    public static var defaultBuffering: Buffering { .newest(1024) }

    @usableFromInline let delivery = Delivery<Element, Void>(keeping: ())

    @inlinable
    package init() {}

    /// Calls the body with each element from now on, on the thread that sends it.
    @inlinable
    public func observe(_ body: @escaping @Sendable (Element) -> Void) -> Subscription {
        observe(body, whenEnded: nil)
    }

    /// Registers a loop: it sees every element from now on, within the default bound.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(over: self, Self.defaultBuffering)
    }

    /// The same events with another bound for each loop.
    @inlinable
    public func buffering(_ policy: Buffering) -> some AsyncSequence<Element, Never> & Sendable {
        BufferedEvents(stream: self, policy: policy)
    }
}

extension EventStream {
    /// Delivers an element to everybody; dropped after the end.
    @inlinable
    package func send(_ element: Element) {
        delivery.send(changing: { _ in }, element: { _ in element }, announce: { _ in })
    }

    /// Observes, and is told of the end too: after the last event, or at once if it has been,
    /// unless cancelled.
    @inlinable
    package func observe(
        _ body: @escaping @Sendable (Element) -> Void, whenEnded: (@Sendable () -> Void)?
    ) -> Subscription {
        let observer = Observer(body, whenEnded: whenEnded)
        guard let number = delivery.add(.observer(observer)) else {
            observer.end()
            return Subscription(nil)
        }
        return Subscription { [self] in delivery.remove(number) }
    }

    /// Ends all loops, after what was sent before, and lets all observers go.
    @inlinable
    package func finish() {
        delivery.finish()
    }

    /// Tells when the first observer or loop has come (true) and when the last has gone (false).
    ///
    /// Reports are made without a lock, in order, one at a time, on the thread that brought the
    /// change about. They always alternate, beginning with true: what comes and goes during a
    /// report may be passed over. One hook a stream, which must not hold the stream.
    @inlinable
    package func whenObserved(_ hook: @escaping @Sendable (_ isObserved: Bool) -> Void) {
        delivery.setInterestHook(hook)
    }
}

extension EventStream {
    /// One loop's place in the stream.
    ///
    /// Let it go, or cancel its task, and nothing is kept for it
    /// any more.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let mailbox: Mailbox<Element>
        @usableFromInline let registration: LoopRegistration<Element, Void>?

        @inlinable
        init(over stream: EventStream, _ policy: Buffering) {
            mailbox = Mailbox(policy)
            registration = LoopRegistration(
                of: .mailbox(mailbox), in: stream.delivery, keeping: stream)
            if registration == nil { mailbox.end() }
        }

        /// How many elements this loop has lost to its bound.
        @inlinable public var dropped: Int { mailbox.state.withLock { $0.dropped } }

        /// The next element, without leaving the caller's actor when there is one already; nil
        /// after the end, and at once in a cancelled task.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            guard !Task.isCancelled else {
                cancel()
                return nil
            }
            let element = await mailbox.next(isolation: actor)
            if element == nil { registration?.remove() }
            return element
        }

        @inlinable
        func cancel() {
            registration?.remove()
            mailbox.close()
        }
    }
}

/// An EventStream whose loops keep another number of elements.
@usableFromInline
struct BufferedEvents<Element: Sendable>: AsyncSequence, Sendable {
    @usableFromInline typealias Failure = Never

    @usableFromInline let stream: EventStream<Element>
    @usableFromInline let policy: Buffering

    @inlinable
    init(stream: EventStream<Element>, policy: Buffering) {
        self.stream = stream
        self.policy = policy
    }

    @inlinable
    func makeAsyncIterator() -> EventStream<Element>.Iterator {
        EventStream.Iterator(over: stream, policy)
    }
}
