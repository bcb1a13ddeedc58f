// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Takes a loop's sink out of its stream when the loop ends, which is when the last copy of its
/// iterator goes.
///
/// It keeps the stream, so that a loop over one that nobody else holds goes on being fed.
@usableFromInline
final class LoopRegistration<Element: Sendable, Kept: Sendable>: Sendable {
    @usableFromInline let delivery: Delivery<Element, Kept>
    @usableFromInline let stream: any AnyObject & Sendable
    @usableFromInline let number: UInt64

    @inlinable
    init?(
        of sink: Sink<Element>, in delivery: Delivery<Element, Kept>,
        keeping stream: any AnyObject & Sendable
    ) {
        guard let number = delivery.add(sink) else { return nil }
        self.stream = stream
        self.delivery = delivery
        self.number = number
    }

    deinit {
        delivery.remove(number)
    }

    @inlinable
    func remove() {
        delivery.remove(number)
    }
}
