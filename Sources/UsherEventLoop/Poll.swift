// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV

/// What a descriptor is watched for, and what happened to it.
package struct PollEvents: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let readable = PollEvents(rawValue: Int32(UV_READABLE.rawValue))
    package static let writable = PollEvents(rawValue: Int32(UV_WRITABLE.rawValue))
    /// The peer closed its writing side.
    package static let disconnect = PollEvents(rawValue: Int32(UV_DISCONNECT.rawValue))
    /// The descriptor is in an error state; only ever reported, and the watch is stopped by it.
    package static let error = PollEvents(rawValue: 1 << 16)
}

/// Watches a descriptor that belongs to somebody else; dropping it ends the watch.
///
/// The descriptor must stay open until `stop()` or the drop; it may be closed right after either.
/// It is made non-blocking.
@safe
package struct Poll: ~Copyable {
    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_poll_t>

    /// Makes a watch that does not run yet; fails for files that cannot be polled and for
    /// descriptors the loop watches already.
    package init(
        on loop: EventLoop, descriptor: Int32, _ body: @escaping (PollEvents) -> Void
    ) throws(LoopError) {
        loop.assertCurrent()
        let handle = unsafe allocate(uv_poll_t.self, context: Callback(body))
        let status = unsafe uv_poll_init(loop.uv, handle, descriptor)
        guard status == 0 else {
            unsafe deallocate(handle)
            throw LoopError("poll descriptor \(descriptor)", code: -status)
        }
        self.loop = loop
        unsafe self.handle = handle
    }

    deinit {
        loop.assertCurrent()
        unsafe closeHandle(handle)
    }

    /// Watches for these events instead of the former ones; level-triggered.
    package func start(_ events: PollEvents) {
        loop.assertCurrent()
        let wanted = events.subtracting(.error).rawValue
        let status = unsafe uv_poll_start(handle, wanted) { handle, status, events in
            unsafe withContext(handle?.pointee.data, as: Callback<(PollEvents) -> Void>.self) {
                $0.body(status < 0 ? .error : PollEvents(rawValue: events))
            }
        }
        precondition(status == 0, "uv_poll_start fails only on a closing handle")
    }

    /// Stops the watch; it can be started again.
    package func stop() {
        loop.assertCurrent()
        unsafe uv_poll_stop(handle)
    }
}
