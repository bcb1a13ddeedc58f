// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import UsherEventLoop

/// Runs `body` on a thread of its own and waits for it.
func onOtherThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
    let done = DispatchSemaphore(value: 0)
    let box = Box<Result?>(nil)
    Thread.detachNewThread {
        box.set(body())
        done.signal()
    }
    done.wait()
    return box.get()
}

/// A value that threads share.
final class Box<Value: Sendable>: Sendable {
    private let lock = NSLock()
    private let content: LockedContent

    private final class LockedContent: @unchecked Sendable {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    init(_ value: Value) {
        content = LockedContent(value)
    }

    func set(_ value: Value) {
        lock.withLock { content.value = value }
    }

    func get() -> Value {
        lock.withLock { content.value }
    }
}

extension LoopBound {
    /// Whether `value` would not trap here.
    var isOpenable: Bool { loop.isCurrent }
}

/// Runs `body` on many threads that start together, and returns what each gave.
func atOnce<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable () -> Result
) -> [Result] {
    let start = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let boxes = (0..<count).map { _ in Box<Result?>(nil) }
    for box in boxes {
        Thread.detachNewThread {
            start.wait()
            box.set(body())
            done.signal()
        }
    }
    for _ in boxes { start.signal() }
    for _ in boxes { done.wait() }
    return boxes.compactMap { $0.get() }
}
