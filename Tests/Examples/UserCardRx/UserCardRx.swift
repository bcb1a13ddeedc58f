// Part of Usher. SPDX-License-Identifier: Apache-2.0

#if RxSwift
import Dispatch
import RxSwift
import UsherClient
import UsherRxSwift

/// Shows the own user until Ctrl-C; renames it if it is started with a name.
@main
struct UserCardRx {
    static func main() {
        let client = UsherClient()
        let bag = DisposeBag()
        client.user.asObservable()
            .observe(on: MainScheduler.instance)
            .map(card)
            .subscribe(onNext: { print($0) })
            .disposed(by: bag)
        // What the buttons of a screen would do: the subscription shows what comes of it.
        let name = CommandLine.arguments.dropFirst().first
        request { try await client.fetchUser() }
            .flatMap { user in
                guard let name else { return .just(user) }
                return request { try await client.renameUser(to: name) }
            }
            .subscribe(onFailure: { print($0) })
            .disposed(by: bag)
        withExtendedLifetime(bag) { dispatchMain() }
    }

    /// What follows on it runs on the main actor, as `main` and its closures do.
    static func request(_ work: @escaping @Sendable () async throws -> User) -> Single<User> {
        Single.create(work: work).observe(on: MainScheduler.instance)
    }

    static func card(_ state: UserState) -> String {
        switch state {
        case .initial: "nothing fetched yet"
        case .loading: "loading ..."
        case .loaded(let user):
            "\(user.name) (\(user.username)), telephone: \(user.phone ?? "none")"
        case .error(let message): "failed: \(message)"
        }
    }
}
#endif
