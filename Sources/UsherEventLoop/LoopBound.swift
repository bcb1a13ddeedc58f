// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A value that lives on a loop, in a box that any thread may carry but only that loop may open.
///
/// It lets a job posted to the loop's ``Inbox`` reach loop-confined state. When the last reference
/// to the box is dropped on another thread, the value goes back to the loop to be released there.
package final class LoopBound<Value>: @unchecked Sendable {
    let loop: EventLoop
    private var content: Value?

    /// Boxes a value; called on the loop.
    package init(_ value: Value, on loop: EventLoop) {
        precondition(loop.isCurrent, "a value is bound to a loop on that loop's thread")
        self.loop = loop
        content = value
    }

    /// The value; traps on any other thread than the loop's.
    package var value: Value {
        precondition(loop.isCurrent, "a value bound to a loop was opened on another thread")
        guard let content else { preconditionFailure("the box is empty only while it is released") }
        return content
    }

    /// Has `body` use the value: at once on the loop's own thread, from any other as soon as the loop gets to it.
    package func use(_ body: @escaping @Sendable (Value) -> Void) {
        if loop.isCurrent {
            body(value)
        } else {
            loop.inbox.post(to: self, body)
        }
    }

    deinit {
        if loop.isCurrent { return }
        let home = Homecoming(content.take(), loop)
        loop.inbox.post { withExtendedLifetime(home) {} }
    }
}

/// Carries a box's content back to the loop.
private final class Homecoming<Value>: @unchecked Sendable {
    private let value: Value?
    private let loop: EventLoop

    init(_ value: Value?, _ loop: EventLoop) {
        self.value = value
        self.loop = loop
    }
}
