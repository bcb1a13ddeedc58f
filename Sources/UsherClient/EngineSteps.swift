// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherStreams
import UsherWire

/// Turns what the daemon says of its own life into events and calls of the delegate, in the
/// promised order.
struct EngineSteps {
    /// The step that was announced and not yet done.
    private var announced: EngineEvent?
    private var newest: EngineEvent?
    private var requestedPause: Duration?

    mutating func receive(_ event: EngineEvent, over link: Link) {
        newest = event
        switch event.phase {
        case .will:
            announced = event
            if let pause = event.reconnectAfterMilliseconds {
                requestedPause = .milliseconds(pause)
            }
            link.engine.send(event)
            link.engineDelegate?.receive(event)
        case .did:
            // A step that nobody can announce may come between the two events of another one.
            if announced?.step == event.step {
                announced = nil
            } else {
                link.engineDelegate?.receive(event)
            }
            link.engine.send(event)
        }
    }

    /// Takes in where the daemon stands at the beginning of a subscription.
    ///
    /// What happened before the client's first connection is no event. Later on it is one: the
    /// daemon went through it while the client was not connected.
    mutating func receive(snapshot: EngineEvent?, isFirst: Bool, over link: Link) {
        guard let snapshot else { return }
        if isFirst, newest == nil || newest == snapshot {
            newest = snapshot
        } else {
            receive(snapshot, over: link)
        }
    }

    /// A daemon that said it would stop has stopped when it hangs up: it cannot say so itself.
    mutating func connectionEnded(over link: Link) {
        guard let announced, announced.step == .stop else { return }
        receive(
            EngineEvent(
                step: .stop, phase: .did, reason: announced.reason,
                reconnectAfterMilliseconds: announced.reconnectAfterMilliseconds),
            over: link)
    }

    /// How long the daemon asked to wait, the last time it stopped.
    mutating func takeRequestedPause() -> Duration? {
        defer { requestedPause = nil }
        return requestedPause
    }
}

extension EngineDelegate {
    fileprivate func receive(_ event: EngineEvent) {
        switch event.step {
        case .create: engineCreated()
        case .start: engineStarted()
        case .reload: engineReloaded()
        case .stop: engineStopped(reason: event.reason)
        case .degrade: engineDegraded(reason: event.reason)
        case .recover: engineRecovered()
        }
    }
}
