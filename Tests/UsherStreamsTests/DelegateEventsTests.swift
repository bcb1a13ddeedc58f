// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherStreams

struct DelegateEventsTests {
    @Test func `The will event, the delegate's call, the did event, in this order`() {
        let log = Log<String>()
        let forwarder = Forwarder(to: Delegate(log))
        let subscription = forwarder.calls.events.observe { event in
            switch event {
            case .will(.shouldContinue(let part)): log.append("will \(part)")
            case .did(.shouldContinue(let part)): log.append("did \(part)")
            }
        }
        let answer = forwarder.shouldContinue(after: 3)
        withExtendedLifetime(subscription) {}
        #expect(answer)
        #expect(log.entries == ["will 3", "called", "did 3"])
    }

    @Test func `The did event comes after a call that throws, too`() {
        let calls = DelegateEvents<Int>()
        let log = Log<DelegateEvent<Int>>()
        let subscription = calls.events.observe { log.append($0) }
        #expect(throws: Refusal()) {
            try calls.around(1) { () throws(Refusal) in throw Refusal() }
        }
        withExtendedLifetime(subscription) {}
        #expect(log.entries == [.will(1), .did(1)])
    }

    @Test func `The events end with the object that makes them`() async {
        var calls: DelegateEvents<Int>? = DelegateEvents()
        let iterator = calls?.events.makeAsyncIterator()
        calls?.around(1) {}
        calls = nil
        guard var iterator else { return }
        #expect(await iterator.next() == .will(1))
        #expect(await iterator.next() == .did(1))
        #expect(await iterator.next() == nil)
    }
}

private struct Refusal: Error, Equatable {}

private enum Call: Sendable {
    case shouldContinue(Int)
}

private protocol DownloadDelegate: AnyObject {
    func shouldContinue(after part: Int) -> Bool
}

private final class Delegate: DownloadDelegate {
    private let log: Log<String>

    init(_ log: Log<String>) {
        self.log = log
    }

    func shouldContinue(after part: Int) -> Bool {
        log.append("called")
        return part < 10
    }
}

/// What an adopter writes.
private final class Forwarder: DownloadDelegate {
    private let delegate: any DownloadDelegate
    let calls = DelegateEvents<Call>()

    init(to delegate: any DownloadDelegate) {
        self.delegate = delegate
    }

    func shouldContinue(after part: Int) -> Bool {
        calls.around(.shouldContinue(part)) { delegate.shouldContinue(after: part) }
    }
}
