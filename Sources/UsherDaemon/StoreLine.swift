// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore

/// The changes that the store has not answered for.
///
/// When the store refuses one, it refuses all that were made before that was heard of, since they may build on it. Their
/// owners are therefore told at once, and what they make then waits until the store has given its answers to the rest.
/// Otherwise each refusal would let a peer ask for the next change, made before the refusals behind it were heard of and
/// so refused too: with several changes always in flight, it would be luck that anything is stored again.
struct StoreLine {
    /// A change and whose it is.
    typealias Item = (owner: ChangeOwner, change: Change)

    /// What an answer of the store means.
    enum Meaning {
        case stored(ChangeOwner)
        /// These are to be told that their changes are not stored, in this order, before anything else happens.
        case refused([ChangeOwner])
        /// Who was concerned has been told; these can be given to the store now.
        case known(next: [Item])
    }

    /// How many failures of the store were heard of; it refuses what was made before.
    private(set) var failures = 0
    /// Whose changes the store has, in the order in which it answers.
    private var owners: [ChangeOwner] = []
    /// How many of ``owners`` were answered for.
    private var answered = 0
    /// How many answers are still to come whose owners were told already.
    private var toldAnswers = 0
    /// What was made since, oldest first.
    private var waiting: [Item] = []

    /// Takes a change that was just made; false if it waits here, to be given to the store later.
    mutating func take(_ change: Change, of owner: ChangeOwner) -> Bool {
        guard toldAnswers == 0 else {
            waiting.append((owner, change))
            return false
        }
        give(owner)
        return true
    }

    /// Notes that the store is given a change.
    mutating func give(_ owner: ChangeOwner) { owners.append(owner) }

    /// Takes in the store's next answer.
    mutating func answer(isStored: Bool) -> Meaning {
        if !isStored { failures += 1 }
        if toldAnswers > 0 {
            toldAnswers -= 1
            guard toldAnswers == 0 else { return .known(next: []) }
            defer { waiting = [] }
            return .known(next: waiting)
        }
        let owner = owners[answered]
        answered += 1
        if isStored {
            if answered * 2 >= owners.count { forgetAnswered() }
            return .stored(owner)
        }
        let rest = owners[answered...]
        toldAnswers = rest.count
        defer {
            owners = []
            answered = 0
        }
        return .refused([owner] + rest)
    }

    private mutating func forgetAnswered() {
        owners.removeFirst(answered)
        answered = 0
    }
}
