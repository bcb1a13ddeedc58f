// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherStore
import UsherWire

// What the core decided to keep, on its way to the store and back; and how the store fares.
extension Daemon {
    func commit(_ change: Change, of owner: ChangeOwner) {
        guard storeLine.take(change, of: owner) else { return }
        give(change, heardFailures: storeLine.failures)
    }

    private func give(_ change: Change, heardFailures: Int) {
        // A store without a thread of its own answers at once.
        store.commit(change, generation: heardFailures) { [box] result in
            box?.use { $0.object.committed(result) }
        }
    }

    private func committed(_ result: Result<Void, StoreError>) {
        var error: StoreError?
        if case .failure(let failure) = result { error = failure }
        switch storeLine.answer(isStored: error == nil) {
        case .stored(let owner): handle(.committed(owner, .success(())))
        case .refused(let owners): refuse(owners, error?.message ?? "")
        case .known(let next):
            // Should one of these fail while they are given, those behind it were made before that.
            let failures = storeLine.failures
            for (owner, change) in next {
                storeLine.give(owner)
                give(change, heardFailures: failures)
            }
        }
        goOnStopping()
    }

    private func refuse(_ owners: [ChangeOwner], _ message: String) {
        let changes = owners.count == 1 ? "a change was" : "\(owners.count) changes were"
        log.error("\(changes) not stored: \(message)")
        let refusal = WireError(.degraded, "not stored: \(message)")
        handle(owners.map { .committed($0, .failure(refusal)) })
    }

    // MARK: Health

    /// Has the store tell when it can no longer be written, and when it can again.
    func watchStore() {
        store.watchHealth { [box] failure in box?.use { $0.object.healthChanged(failure) } }
    }

    private func healthChanged(_ failure: StoreError?) {
        if let failure {
            log.error("degraded: changes are refused until a write succeeds: \(failure.message)")
            announce(.degrade, .did, reason: failure.message)
        } else {
            log.notice("the store can be written again")
            announce(.recover, .did)
        }
        // What was encoded before says nothing of it, or says what is over.
        userResults = UserResults()
        shownChanges &+= 1
        for session in sessions.values { session.tellHealth() }
        if stopping == nil { service.update(statusLine) }
    }
}
