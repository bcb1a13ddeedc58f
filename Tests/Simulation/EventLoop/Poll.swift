// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What a descriptor is watched for, and what happened to it.
package struct PollEvents: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let readable = PollEvents(rawValue: 1)
    package static let writable = PollEvents(rawValue: 2)
    package static let disconnect = PollEvents(rawValue: 4)
    package static let error = PollEvents(rawValue: 1 << 16)
}

/// A watch on a descriptor, which is refused: nothing real is waited for in a simulation.
package struct Poll: ~Copyable {
    package init(
        on loop: EventLoop, descriptor: Int32, _ body: @escaping (PollEvents) -> Void
    ) throws(LoopError) {
        throw LoopError("poll descriptor \(descriptor)", code: EPERM)
    }

    package func start(_ events: PollEvents) {}
    package func stop() {}
}
