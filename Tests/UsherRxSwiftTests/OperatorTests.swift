// Part of Usher. SPDX-License-Identifier: Apache-2.0

#if RxSwift
import Dispatch
@unsafe @preconcurrency import RxRelay
@unsafe @preconcurrency import RxSwift
@unsafe @preconcurrency import RxTest
import Testing
import UsherStreams

@testable import UsherRxSwift

/// What users of Rx build on streams, with RxSwift's own operators.
struct OperatorTests {
    @Test func `Streams combine, and the newest inner one is followed`() {
        let ids = StateStream(1)
        let names = [1: StateStream("a"), 2: StateStream("b")]
        let seen = Seen<String>()
        let observation = ids.asObservable()
            .flatMapLatest { names[$0]?.asObservable() ?? .empty() }
            .distinctUntilChanged()
            .subscribe(seen.add)
        names[1]?.set("a2")
        ids.set(2)
        names[1]?.set("a3")
        names[2]?.set("b2")
        observation.dispose()
        #expect(seen.all == ["next(a)", "next(a2)", "next(b)", "next(b2)"])
    }

    @Test func `A stream binds to a relay`() {
        let stream = StateStream(1)
        let relay = BehaviorRelay(value: 0)
        let bag = DisposeBag()
        stream.asObservable().bind(to: relay).disposed(by: bag)
        #expect(relay.value == 1)
        stream.set(2)
        #expect(relay.value == 2)
    }

    @Test func `Pages fold into a list by scan`() {
        let pages = EventStream<[Int]>()
        let seen = Seen<Int>()
        let observation = pages.asObservable()
            .scan(into: [Int]()) { $0 += $1 }
            .map(\.count)
            .subscribe(seen.add)
        for _ in 1...3 { pages.send([1, 2]) }
        observation.dispose()
        #expect(seen.all == ["next(2)", "next(4)", "next(6)"])
    }

    @Test func `A test scheduler decides when a stream's elements come`() {
        let scheduler = TestScheduler(initialClock: 0)
        let stream = EventStream<String>()
        let observer = scheduler.createObserver(String.self)
        let observation = stream.asObservable()
            .debounce(.seconds(10), scheduler: scheduler)
            .subscribe(observer)
        scheduler.scheduleAt(100) { stream.send("u") }
        scheduler.scheduleAt(105) { stream.send("us") }
        scheduler.scheduleAt(300) { stream.finish() }
        scheduler.start()
        observation.dispose()
        #expect(observer.events == [.next(115, "us"), .completed(300)])
    }
}
#endif
