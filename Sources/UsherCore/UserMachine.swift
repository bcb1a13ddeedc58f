// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// One user's life: `initial → loading → loaded | error`, and from either of the last two to `loading` again.
///
/// A change that has to be durable is a *step*: it is given to the store at once and shown once it is kept. Steps of one
/// user become durable in order, so several renames can be on their way; what is decided next builds on the last step,
/// what is shown is the last durable one. A transition that needs no durability is shown at once, unless steps are
/// ahead of it: then it becomes a step too, since revisions of a topic only grow.
final class UserMachine {
    let id: Int64
    /// What is shown.
    private(set) var history: History<UserState>
    /// What is durable.
    private(set) var record: UserRecord?
    /// What is on its way to the store, oldest first.
    private var steps: [Step] = []
    /// Transitions that were shown and ride to the store with the next step.
    private var unsaved: [Transition] = []
    private var isFetching = false
    /// How the last fetch ended, if the store refused that; shown when no step is on its way.
    private var missed: UserState?
    /// Whether someone saw what an earlier run did not keep, and waits for the steps on their way to hear what is.
    private var isUnsettled = false
    /// The requests that wait for the fetch in flight.
    private var waiters: [RequestToken] = []

    private final class Step {
        let transition: Transition
        let record: UserRecord
        /// Transitions that were to be stored with it.
        let unsaved: [Transition]
        let replies: [RequestToken]
        let endsFetch: Bool

        init(
            _ transition: Transition, _ record: UserRecord, unsaved: [Transition],
            replies: [RequestToken], endsFetch: Bool
        ) {
            self.transition = transition
            self.record = record
            self.unsaved = unsaved
            self.replies = replies
            self.endsFetch = endsFetch
        }
    }

    init(id: Int64) {
        self.id = id
        history = History(initial: .initial)
    }

    /// The user as the store kept it: the last loaded one is served at once, whatever was going on when the daemon ended.
    init(_ stored: StoredState.StoredUser, _ revisions: inout Revisions, _ effects: inout [Effect])
    {
        id = stored.record.user.id
        record = stored.record
        history = History(
            initial: .initial,
            entries: stored.transitions.map { .init(revision: $0.revision, state: $0.state) })
        if history.state != restingState { settle(&revisions, &effects) }
    }

    /// Whether nothing is known and nothing is going on.
    var isPristine: Bool {
        history.state == .initial && record == nil && steps.isEmpty && !isFetching
    }

    /// The state of a user whom nobody fetches.
    private var restingState: UserState {
        record?.state ?? .initial
    }

    /// What the next decision builds on.
    private var newest: (state: UserState, record: UserRecord?) {
        if let last = steps.last { return (last.transition.state, last.record) }
        return (history.state ?? .initial, record)
    }

    // MARK: Requests

    func fetch(
        _ token: RequestToken, waits: Bool, _ revisions: inout Revisions,
        _ effects: inout [Effect]
    ) {
        if waits { waiters.append(token) }
        let replies = waits ? [] : [token]
        guard !isFetching else {
            effects += replies.map { .reply($0, .success(.user(id))) }
            return
        }
        isFetching = true
        move(to: .loading, replies: replies, &revisions, &effects)
        effects.append(.fetchUser(id))
    }

    func rename(
        to name: String, _ token: RequestToken, _ revisions: inout Revisions,
        _ effects: inout [Effect]
    ) {
        let newest = newest
        guard case .loaded = newest.state, let record = newest.record else {
            effects.append(
                .reply(
                    token,
                    .failure(
                        WireError(
                            .invalidTransition,
                            "user \(id) is \(newest.state.word), not loaded; fetch it first"))))
            return
        }
        let renamed = UserRecord(user: record.user, rename: name)
        keep(renamed.state, renamed, replies: [token], endsFetch: false, &revisions, &effects)
    }

    // MARK: Answers

    func fetched(
        _ result: Result<User, WireError>, _ revisions: inout Revisions,
        _ effects: inout [Effect]
    ) {
        isFetching = false
        let replies = waiters
        waiters = []
        switch result {
        case .success(let user):
            let record = UserRecord(user: user, rename: newest.record?.rename)
            keep(record.state, record, replies: replies, endsFetch: true, &revisions, &effects)
        case .failure(let error):
            effects += replies.map { .reply($0, .failure(error)) }
            move(to: .error(error.message), &revisions, &effects)
        }
    }

    /// The oldest step is durable, or the store refused it.
    func committed(
        _ result: Result<Void, WireError>, _ revisions: inout Revisions,
        _ effects: inout [Effect]
    ) {
        let step = steps.removeFirst()
        switch result {
        case .success:
            record = step.record
            missed = nil
            for token in step.replies { effects.append(.reply(token, .success(.user(id)))) }
            show(step.transition, &effects)
        case .failure(let error):
            unsaved = step.unsaved + unsaved
            effects += step.replies.map { .reply($0, .failure(error)) }
            if step.endsFetch {
                missed = .error(error.message)
            } else if case .error = step.transition.state {
                missed = step.transition.state
            }
            if steps.isEmpty { showMissed(&revisions, &effects) }
        }
    }

    /// Shows what is going on, now that the store refused the steps that were to show it.
    ///
    /// Not before all of them are answered: what was made before the last refusal is refused too, so another step
    /// behind them would never be shown.
    private func showMissed(_ revisions: inout Revisions, _ effects: inout [Effect]) {
        let state = isFetching ? .loading : missed ?? history.state ?? .initial
        missed = nil
        guard isUnsettled || state != history.state else { return }
        move(to: state, &revisions, &effects)
    }

    /// Shows the state of a user whom nobody fetches as a new transition, because someone saw another one of an earlier
    /// run that the store did not keep.
    func settle(_ revisions: inout Revisions, _ effects: inout [Effect]) {
        guard steps.isEmpty else {
            isUnsettled = true
            return
        }
        guard !isFetching else { return }
        move(to: restingState, &revisions, &effects)
    }

    // MARK: Transitions

    /// Goes to a state that need not be durable.
    private func move(
        to state: UserState, replies: [RequestToken] = [], _ revisions: inout Revisions,
        _ effects: inout [Effect]
    ) {
        if let record = steps.last?.record {
            keep(state, record, replies: replies, endsFetch: false, &revisions, &effects)
            return
        }
        let transition = Transition(revision: revisions.next(&effects), state: state)
        if unsaved.count == Limits.historyTransitions { unsaved.removeFirst() }
        unsaved.append(transition)
        history.append(state, revision: transition.revision)
        isUnsettled = false
        effects += replies.map { .reply($0, .success(.user(id))) }
        effects.append(.changed(.user(id)))
    }

    /// Goes to a state once it is durable.
    private func keep(
        _ state: UserState, _ record: UserRecord, replies: [RequestToken], endsFetch: Bool,
        _ revisions: inout Revisions, _ effects: inout [Effect]
    ) {
        let transition = Transition(revision: revisions.next(&effects), state: state)
        steps.append(
            Step(transition, record, unsaved: unsaved, replies: replies, endsFetch: endsFetch))
        var transitions = [transition]
        if !unsaved.isEmpty {
            transitions = unsaved + transitions
            unsaved = []
        }
        effects.append(.commit(.user(id), .user(record, transitions: transitions)))
    }

    private func show(_ transition: Transition, _ effects: inout [Effect]) {
        history.append(transition.state, revision: transition.revision)
        isUnsettled = false
        effects.append(.changed(.user(id)))
    }
}

extension UserState {
    /// The state's name, for errors.
    fileprivate var word: String {
        switch self {
        case .initial: "not fetched"
        case .loading: "loading"
        case .loaded: "loaded"
        case .error: "in error"
        }
    }
}
