// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// Streams as observables, and nothing else: every operator, scheduler and test tool is RxSwift's
// own. The conformances are all it takes, since RxSwift builds `debug`, `flatMapLatest`, `asDriver`
// and the rest on `ObservableConvertibleType`.

#if RxSwift
// An `AnyObserver` is not Sendable, and it is called as Rx demands: one call at a time, in order.
@unsafe @preconcurrency public import RxSwift
public import UsherStreams

extension StateStream: ObservableConvertibleType {
    /// The current value and then each later one, as a `BehaviorRelay` gives them.
    ///
    /// Each subscription is an observation of its own, which keeps the stream alive until it is
    /// disposed of. Elements come on the thread that sets the value, the client's own as a rule. A
    /// closure that is written on the main actor must run there, and RxSwift lets nobody check
    /// that: begin with `observe(on: MainScheduler.instance)` or `asDriver(onErrorDriveWith:)`, or
    /// the program traps. The observable never fails, and completes when the stream ends.
    public func asObservable() -> Observable<Value> {
        Observable.create { observer in
            let subscription = self.observe(
                { observer.onNext($0) }, whenEnded: { observer.onCompleted() })
            return Disposables.create { subscription.cancel() }
        }
    }
}

extension EventStream: ObservableConvertibleType {
    /// Each event from the subscription on, as a `PublishRelay` gives them.
    ///
    /// Each subscription is an observation of its own, which keeps the stream alive until it is
    /// disposed of. Events come on the thread that sends them, the client's own as a rule. A closure
    /// that is written on the main actor must run there, and RxSwift lets nobody check that: begin
    /// with `observe(on: MainScheduler.instance)` or `asSignal(onErrorSignalWith:)`, or the program
    /// traps. The observable never fails, and completes when the stream ends.
    public func asObservable() -> Observable<Element> {
        Observable.create { observer in
            let subscription = self.observe(
                { observer.onNext($0) }, whenEnded: { observer.onCompleted() })
            return Disposables.create { subscription.cancel() }
        }
    }
}
#endif
