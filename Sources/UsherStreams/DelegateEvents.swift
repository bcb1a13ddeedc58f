// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A call of a delegate, just before it or just after it.
public enum DelegateEvent<Invocation: Sendable>: Sendable {
    /// The delegate is about to be called.
    case will(Invocation)
    /// The delegate's call has returned.
    case did(Invocation)
}

extension DelegateEvent: Equatable where Invocation: Equatable {}

/// The calls of a delegate as events, for a delegate of your own.
///
/// The delegate's slot stays yours: make a forwarding object that conforms to the delegate's
/// protocol, put it in the slot, and let each of its methods call the real delegate inside
/// `around`. Describe the calls by an enumeration with a case for each method:
///
/// ```swift
/// final class Forwarder: DownloadDelegate {
///     weak var delegate: (any DownloadDelegate)?
///     let calls = DelegateEvents<DownloadCall>()
///
///     func downloadFinished(_ name: String) {
///         calls.around(.finished(name)) { delegate?.downloadFinished(name) }
///     }
/// }
/// ```
public final class DelegateEvents<Invocation: Sendable>: Sendable {
    /// Two events a call.
    public let events = EventStream<DelegateEvent<Invocation>>()

    /// No delegate, no event yet.
    public init() {}

    deinit {
        events.finish()
    }

    /// Sends the `.will` event, makes the call, sends the `.did` event, and returns what the call
    /// returned.
    ///
    /// The `.did` event comes after a call that throws, too. The order holds for calls that are
    /// made by one thread at a time and not inside an observer of `events`: there, the events
    /// wait for their turn and the call does not.
    @inlinable
    public func around<Result, Failure: Error>(
        _ invocation: Invocation, _ call: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        events.send(.will(invocation))
        defer { events.send(.did(invocation)) }
        return try call()
    }
}
