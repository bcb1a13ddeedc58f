// Part of Usher. SPDX-License-Identifier: Apache-2.0

#if RxSwift
@unsafe @preconcurrency import RxSwift
import UsherStreams

/// The events that an observer got, as text, from any thread.
final class Seen<Element: Sendable>: Sendable {
    private let entries = Guarded<[String]>([])

    var all: [String] { entries.withLock { $0 } }

    @Sendable
    func add(_ event: Event<Element>) {
        let text = event.debugDescription
        entries.withLock { $0.append(text) }
    }
}
#endif
