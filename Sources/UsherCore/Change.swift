// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherWire

/// One step of a topic's history.
package struct Transition: Sendable, Hashable {
    package let revision: UInt64
    package let state: UserState

    package init(revision: UInt64, state: UserState) {
        self.revision = revision
        self.state = state
    }
}

/// What has to be on disk before anyone hears of it.
///
/// A change is atomic; changes are kept in the order they were made.
package enum Change: Sendable, Hashable {
    /// What is known of a user now, whole, and the steps that led here since the last change of this user.
    case user(UserRecord, transitions: [Transition])
    /// Movies at the end of a list, and how far the list is with them.
    case append(MovieListName, MovieListProgress, movies: [EncodedMovie])
    /// A new generation: the movies that were there go, these come.
    case reset(MovieListName, MovieListProgress, movies: [EncodedMovie])
    /// Revisions up to this one may be used without telling the store of each.
    case reserve(through: UInt64)
    /// Requests that were carried out, and the change that this made, if it made one: kept together or not at all.
    indirect case remember(
        [AnsweredRequest], forgetting: [ForgottenRequests], with: Change?)
}

/// What is known of a user.
///
/// An object, since each change carries it through the core to the store and back: as a value, its texts were counted
/// one by one on every step of that way.
package final class UserRecord: Sendable, Hashable {
    /// The user as the directory gave it.
    package let user: User
    /// The name that replaces the directory's, if the user was renamed.
    package let rename: String?
    /// The user as peers see it.
    package let state: UserState

    package init(user: User, rename: String? = nil) {
        self.user = user
        self.rename = rename
        var shown = user
        if let rename { shown.name = rename }
        state = .loaded(shown)
    }

    package static func == (left: UserRecord, right: UserRecord) -> Bool {
        left.user == right.user && left.rename == right.rename
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(user)
        hasher.combine(rename)
    }
}

/// How far a movie list is after a change.
package struct MovieListProgress: Sendable, Hashable {
    /// The change's revision.
    ///
    /// For a reset it is also the generation's first revision.
    package var revision: UInt64
    /// The last page in the list.
    package var page: Int
    /// How many pages there are to get, as last heard.
    package var pages: Int
    /// Whether there is no further page to get.
    package var isComplete: Bool

    package init(revision: UInt64, page: Int, pages: Int, isComplete: Bool) {
        self.revision = revision
        self.page = page
        self.pages = pages
        self.isComplete = isComplete
    }
}

/// All that a store kept, as the daemon finds it when it starts.
package struct StoredState: Sendable, Hashable {
    /// A user and the last steps of its history, oldest first; the last one is its state.
    package struct StoredUser: Sendable, Hashable {
        package var record: UserRecord
        package var transitions: [Transition]

        package init(record: UserRecord, transitions: [Transition]) {
            self.record = record
            self.transitions = transitions
        }
    }

    /// A list's current generation.
    package struct StoredList: Sendable, Hashable {
        package var name: MovieListName
        /// The revision of the reset that began the generation; 0 if there was none.
        package var generation: UInt64
        package var progress: MovieListProgress
        package var movies: [EncodedMovie]
        /// For each change of the generation that brought movies, how many there were after it; oldest first.
        package var marks: [Mark]

        package init(
            name: MovieListName, generation: UInt64, progress: MovieListProgress,
            movies: [EncodedMovie], marks: [Mark]
        ) {
            self.name = name
            self.generation = generation
            self.progress = progress
            self.movies = movies
            self.marks = marks
        }
    }

    /// How many movies a list had after the change of a revision.
    package struct Mark: Sendable, Hashable {
        package var revision: UInt64
        package var count: Int

        package init(revision: UInt64, count: Int) {
            self.revision = revision
            self.count = count
        }
    }

    /// The name of the history; made when the store was.
    package var epoch: Epoch
    /// No revision above this one was ever used.
    package var reservedThrough: UInt64
    package var users: [StoredUser]
    package var lists: [StoredList]
    /// Each uid's requests that carried a key, in the order in which they were carried out.
    package var requests: [AnsweredRequest]

    package init(
        epoch: Epoch, reservedThrough: UInt64 = 0, users: [StoredUser] = [],
        lists: [StoredList] = [], requests: [AnsweredRequest] = []
    ) {
        self.epoch = epoch
        self.reservedThrough = reservedThrough
        self.users = users
        self.lists = lists
        self.requests = requests
    }
}
