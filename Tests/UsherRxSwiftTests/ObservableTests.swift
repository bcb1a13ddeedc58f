// Part of Usher. SPDX-License-Identifier: Apache-2.0

#if RxSwift
@unsafe @preconcurrency import RxSwift
import Synchronization
import Testing
import UsherStreams

@testable import UsherRxSwift

struct ObservableTests {
    @Test func `A state stream gives its value first and then each later one`() {
        let stream = StateStream(1)
        let seen = Seen<Int>()
        let observation = stream.asObservable().subscribe(seen.add)
        stream.set(2)
        stream.set(3)
        observation.dispose()
        stream.set(4)
        #expect(seen.all == ["next(1)", "next(2)", "next(3)"])
    }

    @Test func `An event stream gives what happens from the subscription on`() {
        let stream = EventStream<Int>()
        let seen = Seen<Int>()
        stream.send(1)
        let observation = stream.asObservable().subscribe(seen.add)
        stream.send(2)
        observation.dispose()
        stream.send(3)
        #expect(seen.all == ["next(2)"])
    }

    @Test func `The end of a stream completes its observables, late ones too`() {
        let state = StateStream(1)
        let events = EventStream<Int>()
        let early = [Seen<Int>(), Seen<Int>()]
        let late = [Seen<Int>(), Seen<Int>()]
        _ = state.asObservable().subscribe(early[0].add)
        _ = events.asObservable().subscribe(early[1].add)
        state.finish()
        events.finish()
        _ = state.asObservable().subscribe(late[0].add)
        _ = events.asObservable().subscribe(late[1].add)
        #expect(early.map(\.all) == [["next(1)", "completed"], ["completed"]])
        #expect(late.map(\.all) == [["next(1)", "completed"], ["completed"]])
    }

    @Test func `A dropped disposable goes on, as Rx has it, and disposing frees everything`() {
        weak var stream: StateStream<Int>?
        let seen = Seen<Int>()
        let bag: any Disposable
        do {
            let made = StateStream(1)
            stream = made
            bag = made.asObservable().subscribe(seen.add)
            _ = made.asObservable().subscribe(seen.add)
            made.set(2)
            made.finish()
        }
        bag.dispose()
        #expect(seen.all.filter { $0 == "next(2)" }.count == 2)
        #expect(stream == nil)
    }

    @Test func `Elements come on the thread that sets, during the call`() {
        // RxSwift itself turns an AsyncSequence into an observable, from a task of its own: this
        // must not be that one.
        let stream = StateStream(0)
        let isSetting = Atomic(false)
        let calls = Seen<Bool>()
        let observation = stream.asObservable().skip(1).subscribe(onNext: { _ in
            calls.add(.next(isSetting.load(ordering: .relaxed)))
        })
        isSetting.store(true, ordering: .relaxed)
        stream.set(1)
        isSetting.store(false, ordering: .relaxed)
        observation.dispose()
        #expect(calls.all == ["next(true)"])
    }

    @Test func `What is set inside an observer waits its turn, without a warning of RxSwift's`() {
        let stream = StateStream(0)
        let first = Seen<Int>()
        let second = Seen<Int>()
        let bag = DisposeBag()
        stream.asObservable().subscribe(onNext: { value in
            first.add(.next(value))
            if value == 1 { stream.set(2) }
        }).disposed(by: bag)
        stream.asObservable().subscribe(second.add).disposed(by: bag)
        stream.set(1)
        #expect(first.all == ["next(0)", "next(1)", "next(2)"])
        #expect(second.all == first.all)
    }

    @Test func `An observable that has enough unsubscribes`() {
        let stream = StateStream(1)
        let interest = Seen<Bool>()
        stream.whenObserved { interest.add(.next($0)) }
        let seen = Seen<Int>()
        _ = stream.asObservable().take(2).subscribe(seen.add)
        #expect(interest.all == ["next(true)"])
        stream.set(2)
        #expect(seen.all == ["next(1)", "next(2)", "completed"])
        #expect(interest.all == ["next(true)", "next(false)"])
        _ = stream.asObservable().take(1).subscribe(seen.add)
        #expect(interest.all.last == "next(false)")
    }
}
#endif
