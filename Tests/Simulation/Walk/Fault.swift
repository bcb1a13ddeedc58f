// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Everything that goes wrong, or has to be seen to happen, in walks: what never did over a run was not tested, and fails
/// it.
enum Fault: String, CaseIterable {
    // The process.
    case killedBetweenTurns = "killed between turns"
    case killedWithinTurn = "killed within a turn, output partly sent"
    case stopped = "stopped by a signal"
    case stoppedWithRequestsInFlight = "stopped with requests in flight"
    case stoppedTwice = "told to stop twice"
    case stoppedByRequest = "stopped by a request"
    case reloaded = "reloaded"
    case reloadedWithFetchInFlight = "reloaded with a fetch in flight"
    // The store.
    case unsyncedLost = "unsynced changes lost"
    case unsyncedKept = "unsynced changes kept after all"
    case queuedLost = "queued changes lost"
    case storeBroken = "store failed"
    case changeRefused = "change refused"
    case storeRepaired = "store written again after a probe"
    case refusedChangeKept = "refused change found on disk after a crash"
    case markedDegraded = "read marked degraded"
    case healthTold = "subscriber told of the store's health"
    case groupCommit = "several changes in one transaction"
    case stateLost = "state lost, new epoch"
    // The services.
    case userFailed = "user directory failed"
    case pageFailed = "movie service failed"
    case endOfList = "list ended early"
    case answeredOutOfOrder = "services answered out of order"
    case answeredLate = "service answered after a long time"
    case answeredAfterReload = "service of before a reload answered"
    case repeatedMovies = "page repeated movies"
    // The connections.
    case lineSplit = "line split over reads"
    case linesJoined = "several lines in one read"
    case oneByteReads = "line sent byte by byte"
    case crowded = "more lines than a turn takes"
    case partialWrite = "write found no room"
    case clogged = "requests held back from a peer that does not read"
    case stalledPeerCut = "stalled peer cut off"
    case partialLineCut = "peer cut off for a line without end"
    case halfClosed = "peer shut its writing side"
    case lastLineWithoutEnd = "last line without LF"
    case closed = "peer closed"
    case reset = "peer closed with output unread"
    case peerRefused = "peer refused for lack of a place"
    case knockedInVain = "peer knocked while nobody listened"
    // What peers send.
    case malformedLine = "malformed line"
    case lineTooLong = "line too long"
    case batch, notification, shorthand
    case repeated = "request sent again with its key"
    case repetitionAnsweredAlike = "request answered again as it was"
    case denied = "permission denied"
    case busy = "too many deferred requests"
    case tooManySubscriptions = "too many subscriptions"
    // What subscribers see.
    case recovered = "resumed from a cursor"
    case resumedAfterRestart = "resumed across a restart"
    case noCursor = "snapshot: no_cursor"
    case epochChanged = "snapshot: epoch_changed"
    case listReset = "snapshot: list_reset"
    case ahead = "snapshot: ahead"
    case tooOld = "snapshot: too_old"
    case skipped = "transitions skipped"
    case gap = "gap in mode all"
    case chunked = "list in chunks"
    case listRestarted = "list began anew under a subscriber"
}

/// How often each fault happened.
struct Tally {
    private(set) var counts: [Fault: Int] = [:]

    mutating func count(_ fault: Fault) { counts[fault, default: 0] += 1 }

    mutating func add(_ count: Int, of fault: Fault) { counts[fault, default: 0] += count }
}
