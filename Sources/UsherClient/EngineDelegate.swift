// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Is told of the steps of the daemon's life; every method may be left out.
///
/// Each call is made between the two events of ``UsherClient/engine`` for the same step: first the
/// `.will` event, then the call, then the `.did` event. A step whose beginning this client did not
/// see, since it was not connected, has no `.will` event; the call still comes before `.did`.
/// The calls are made on the client's own thread and must not block it.
public protocol EngineDelegate: AnyObject, Sendable {
    /// The daemon makes its parts.
    func engineCreated()
    /// The daemon begins to serve.
    func engineStarted()
    /// The daemon reads its configuration again.
    func engineReloaded()
    /// The daemon ends; the reason is for people.
    func engineStopped(reason: String?)
    /// The daemon cannot store changes any more, and refuses them; the reason is for people.
    func engineDegraded(reason: String?)
    /// The daemon takes changes again.
    func engineRecovered()
}

extension EngineDelegate {
    /// Does nothing.
    public func engineCreated() {}
    /// Does nothing.
    public func engineStarted() {}
    /// Does nothing.
    public func engineReloaded() {}
    /// Does nothing.
    public func engineStopped(reason: String?) {}
    /// Does nothing.
    public func engineDegraded(reason: String?) {}
    /// Does nothing.
    public func engineRecovered() {}
}
