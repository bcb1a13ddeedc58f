// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV

/// A timer on a loop; dropping it closes it.
@safe
package struct Timer: ~Copyable {
    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_timer_t>

    /// Makes a timer that does not run yet.
    package init(on loop: EventLoop, _ body: @escaping () -> Void) {
        loop.assertCurrent()
        self.loop = loop
        unsafe handle = allocate(uv_timer_t.self, context: Callback(body))
        let status = unsafe uv_timer_init(loop.uv, handle)
        precondition(status == 0, "uv_timer_init has no way to fail")
    }

    deinit {
        loop.assertCurrent()
        unsafe closeHandle(handle)
    }

    /// Starts the timer, anew if it runs.
    ///
    /// The delay counts from the start of this turn (`EventLoop.now`). Zero means the next turn.
    package func start(afterMilliseconds delay: UInt64, repeatingMilliseconds interval: UInt64 = 0)
    {
        loop.assertCurrent()
        let status = unsafe uv_timer_start(
            handle,
            { handle in
                unsafe withContext(handle?.pointee.data, as: Callback<() -> Void>.self) {
                    $0.body()
                }
            }, delay, interval)
        precondition(status == 0, "uv_timer_start fails only on a closing handle")
    }

    /// Stops the timer; it can be started again.
    package func stop() {
        loop.assertCurrent()
        unsafe uv_timer_stop(handle)
    }

    /// Whether the timer was started and has not yet fired for the last time.
    package var isActive: Bool {
        unsafe uv_is_active(
            UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self))
            != 0
    }
}
