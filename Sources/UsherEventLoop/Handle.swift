// Part of Usher. SPDX-License-Identifier: Apache-2.0

// How a C handle is owned. Its memory is allocated here, belongs to libuv from a successful init
// until the close callback, and is freed there. Its `data` owns one reference to a Swift object,
// given back in the same callback: so between init and close callback that object is alive whatever
// Swift code dropped, and a callback may use it without retaining it. The Swift owner of a handle
// holds no more than the right to close it.

internal import CUsherUV

/// Keeps the closure that a handle calls.
final class Callback<Body> {
    let body: Body

    init(_ body: Body) {
        self.body = body
    }
}

/// Allocates a handle or request whose `data` owns a reference to `context`.
func allocate<Handle>(_ type: Handle.Type, context: AnyObject) -> UnsafeMutablePointer<Handle> {
    let memory = UnsafeMutablePointer<Handle>.allocate(capacity: 1)
    // Every handle and request of libuv begins with `void *data`.
    unsafe UnsafeMutableRawPointer(memory).storeBytes(
        of: Unmanaged.passRetained(context).toOpaque(), as: UnsafeMutableRawPointer.self)
    return unsafe memory
}

/// Frees what `allocate` made: the memory, and the reference to the context.
func deallocate(_ memory: UnsafeMutableRawPointer) {
    let context = unsafe memory.load(as: UnsafeMutableRawPointer.self)
    unsafe memory.deallocate()
    unsafe Unmanaged<AnyObject>.fromOpaque(context).release()
}

/// Closes a handle made with `allocate`; its memory is freed by the close callback.
func closeHandle(_ memory: UnsafeMutableRawPointer) {
    unsafe uv_close(memory.assumingMemoryBound(to: uv_handle_t.self)) { handle in
        guard let handle = unsafe handle else { return }
        unsafe deallocate(UnsafeMutableRawPointer(handle))
    }
}

/// Lends the Swift object behind a handle's `data` to `body`, without touching its reference count.
@inline(__always)
func withContext<Context: AnyObject>(
    _ data: UnsafeMutableRawPointer?, as type: Context.Type, _ body: (Context) -> Void
) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<Context>.fromOpaque(data)._withUnsafeGuaranteedRef { body($0) }
}
