// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV

/// Calls back on the loop for each delivery of a signal; dropping it restores the signal's former
/// disposition.
///
/// Signals that arrive faster than the loop turns may be reported once.
@safe
package struct SignalWatcher: ~Copyable {
    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_signal_t>

    /// Starts to watch; fails for signals that cannot be caught.
    package init(on loop: EventLoop, signal: Int32, _ body: @escaping () -> Void) throws(LoopError)
    {
        loop.assertCurrent()
        let handle = unsafe allocate(uv_signal_t.self, context: Callback(body))
        var status = unsafe uv_signal_init(loop.uv, handle)
        guard status == 0 else {
            unsafe deallocate(handle)
            throw LoopError("uv_signal_init", code: -status)
        }
        status = unsafe uv_signal_start(
            handle,
            { handle, _ in
                unsafe withContext(handle?.pointee.data, as: Callback<() -> Void>.self) {
                    $0.body()
                }
            }, signal)
        guard status == 0 else {
            unsafe closeHandle(handle)
            throw LoopError("watch signal \(signal)", code: -status)
        }
        self.loop = loop
        unsafe self.handle = handle
    }

    deinit {
        loop.assertCurrent()
        unsafe closeHandle(handle)
    }
}
