// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
    /// Calls the body on the main actor with each element, in order, until the subscription goes.
    ///
    /// The loop is registered before this returns, so nothing that happens afterwards is missed.
    /// A subscription that was cancelled on the main actor makes no further call, even when an
    /// element was already under way.
    @inlinable
    @MainActor
    public func onMain(_ body: @escaping @MainActor (Element) -> Void) -> Subscription {
        onMainWhile { element in
            body(element)
            return true
        }
    }

    /// Calls the body on the main actor with the target and each element, for as long as the
    /// target lives.
    ///
    /// The target is not kept alive. Whether it lives is looked at on the main actor, right
    /// before each call.
    @inlinable
    @MainActor
    public func onMain<T: AnyObject & Sendable>(
        weak target: T, _ body: @escaping @MainActor (T, Element) -> Void
    ) -> Subscription {
        onMainWhile { [weak target] element in
            guard let target else { return false }
            body(target, element)
            return true
        }
    }

    @inlinable
    @MainActor
    func onMainWhile(_ body: @escaping @MainActor (Element) -> Bool) -> Subscription {
        let iterator = makeAsyncIterator()
        let task = Task { @MainActor in
            var iterator = iterator
            while let element = await iterator.next(isolation: MainActor.shared) {
                guard !Task.isCancelled, body(element) else { return }
            }
        }
        return Subscription { task.cancel() }
    }
}
