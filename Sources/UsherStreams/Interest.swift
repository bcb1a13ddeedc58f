// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Whether anybody observes a stream, and who wants to know.
///
/// Reports are made without the lock and one at a time: a change that comes while a report is
/// being made is reported after it, by the same thread, so that they alternate and never nest.
@usableFromInline
struct Interest: Sendable {
    /// Whether the value was read, which counts as an observation that lasts until the end.
    @usableFromInline var isRead = false
    /// Whether readers are about to be told of a change once more: one time is as good as many.
    @usableFromInline var isToldAgain = false
    @usableFromInline var hook: (@Sendable (Bool) -> Void)?
    @usableFromInline var reported = false
    @usableFromInline var isReporting = false

    @inlinable
    init() {}

    /// Whether the caller has to tell readers of a change once more.
    @inlinable
    mutating func beginsToTellAgain() -> Bool {
        guard isRead, !isToldAgain else { return false }
        isToldAgain = true
        return true
    }
}

extension Delivery {
    @inlinable
    func setInterestHook(_ hook: @escaping @Sendable (Bool) -> Void) {
        let old = state.withLock { state in
            let old = state.interest.hook
            if !state.isFinished { state.interest.hook = hook }
            return old
        }
        _ = old
        reportInterest()
    }

    /// What is kept, as somebody outside reads it, who counts as an observer from then on.
    @inlinable
    func read() -> Kept {
        let (kept, isFirst) = state.withLock { state in
            let isFirst = !state.interest.isRead
            state.interest.isRead = true
            return (state.kept, isFirst)
        }
        if isFirst { reportInterest() }
        return kept
    }

    /// Brings the hook up to date, unless another call is doing so: that one then goes on.
    @inlinable
    func reportInterest() {
        guard var report = state.withLock({ $0.interest.isReporting ? nil : $0.nextReport() })
        else { return }
        while true {
            if report.isDue { report.hook(report.isObserved) }
            guard let next = state.withLock({ $0.nextReport() }) else { return }
            report = next
        }
    }
}

extension Delivery.State {
    /// What to tell whom; after the end, the hook is also handed out to be released.
    @usableFromInline typealias Report = (
        hook: @Sendable (Bool) -> Void, isObserved: Bool, isDue: Bool
    )

    @inlinable
    mutating func nextReport() -> Report? {
        let isObserved = sinks.count > 0 || (interest.isRead && !isFinished)
        let isDue = isObserved != interest.reported
        let isLast = isFinished && !isObserved
        interest.isReporting = false
        guard let hook = interest.hook, isDue || isLast else { return nil }
        interest.isReporting = true
        interest.reported = isObserved
        if isLast { interest.hook = nil }
        return (hook, isObserved, isDue)
    }
}
