// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A step in the daemon's own life, announced before and after it happens.
public struct EngineEvent: Sendable, Hashable {
    /// The steps of a daemon's life.
    public enum Step: String, Sendable, CaseIterable {
        /// The daemon's parts are made.
        case create
        /// The daemon begins to serve.
        case start
        /// The configuration is read again.
        case reload
        /// The daemon ends.
        case stop
        /// The store cannot be written: changes are refused, reads go on.
        case degrade
        /// The store can be written again.
        case recover
    }

    /// Whether the step is about to happen or has happened.
    public enum Phase: String, Sendable {
        /// Just before the step.
        case will
        /// Just after the step.
        case did
    }

    /// Which step it is.
    public let step: Step
    /// Whether the step is about to happen or has happened.
    public let phase: Phase
    /// Why the daemon stops, or what is the matter with its store; nil for other steps.
    public let reason: String?
    /// How long to wait before connecting again, in milliseconds; the daemon gives each peer
    /// another figure, so that they do not all come back at once.
    ///
    /// Nil for other steps than `stop`.
    public let reconnectAfterMilliseconds: Int?

    /// Makes an event from its parts.
    public init(
        step: Step, phase: Phase, reason: String? = nil, reconnectAfterMilliseconds: Int? = nil
    ) {
        self.step = step
        self.phase = phase
        self.reason = reason
        self.reconnectAfterMilliseconds = reconnectAfterMilliseconds
    }
}
