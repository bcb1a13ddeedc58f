// Part of Usher. SPDX-License-Identifier: Apache-2.0

#if RxSwift
import Dispatch
import Foundation
import RxSwift
import UsherClient
import UsherRxSwift

/// Prints how the popular list grows to 50 movies, or to as many as it is started with.
@main
struct MovieListRx {
    static func main() {
        let wanted = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 50
        let client = UsherClient()
        let bag = DisposeBag()
        let isEnough = { (list: MovieList) in
            list.movies.count >= wanted || list.status.complete
        }
        client.pages().asObservable()
            // First of all, since `main` is on the main actor, and with it the closures below.
            .observe(on: MainScheduler.instance)
            .scan(into: MovieList()) { list, page in
                // In place: a relay of whole lists would copy the list for each page.
                if page.startsOver { list.movies = [] }
                list.movies += page.movies
                list.status = page.status
            }
            .take(until: isEnough, behavior: .inclusive)
            .do(onNext: { list in
                let last = list.movies.last?.title ?? "none"
                print("\(list.movies.count) movies, the last is \(last)")
            })
            .concatMap { list in
                // The end of what is there came into sight.
                guard !isEnough(list) else { return Observable<MoviePage>.empty() }
                return Single.create { try await client.fetchMoreMovies() }
                    .observe(on: MainScheduler.instance)
                    .asObservable()
            }
            .subscribe(
                onError: { error in
                    print(error)
                    exit(1)
                },
                onCompleted: { exit(0) }
            )
            .disposed(by: bag)
        withExtendedLifetime(bag) { dispatchMain() }
    }
}
#endif
