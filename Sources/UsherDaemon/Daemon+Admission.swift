// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherEventLoop
import UsherWire

// Who gets a place. One that is not let in is told so by a single line; when places have run out, a peer that takes
// nothing of what it asked for loses its place to the one that knocks.
extension Daemon {
    /// How many refused connections may stay open until their peers have read why; the others are closed at once.
    ///
    /// A peer that is still sending when its connection is closed may fail before it reads the line, so waiting is
    /// kinder; but each costs a descriptor that no limit counts.
    static let lingeringRefusals = 8

    /// Why a peer that knocks cannot be served; nil if there is a place for it, made free if need be.
    func refusal(of uid: UInt32) -> WireError? {
        if stopping != nil { return WireError(.shuttingDown, "the daemon is stopping") }
        let isPrivileged = roles.isPrivileged(uid)
        if places.taken >= limits.clients + (isPrivileged ? 1 : 0), !makeRoom(of: nil) {
            return WireError(.tooManyClients, "\(places.taken) clients are connected; try later")
        }
        guard !isPrivileged else { return nil }
        if places.taken(by: uid) >= limits.clientsPerUID, !makeRoom(of: uid) {
            return WireError(
                .tooManyClients,
                "uid \(uid) has \(places.taken(by: uid)) clients connected; try later")
        }
        return nil
    }

    /// Sends a connection its only line, and closes it.
    func refuse(_ connection: Connection, _ error: WireError) {
        statistics.refused += 1
        statistics.count(error.reason)
        scratch.reset()
        scratch.beginAnswer(.unreadable)
        scratch.raw(",\"error\":")
        scratch.wireError(error)
        scratch.raw("}\n")
        connection.write(scratch.bytes)
        let lingers = refused.count < Self.lingeringRefusals
        refused[ObjectIdentifier(connection)] = connection
        connection.onClose = { [unowned self, unowned connection] _ in
            refused[ObjectIdentifier(connection)] = nil
        }
        connection.closeAfterFlush(lingers: lingers)
    }

    private func makeRoom(of uid: UInt32?) -> Bool {
        guard let session = patience.longestStalled(of: uid) else { return false }
        evict(session, .stalledWhenFull)
        return true
    }

    /// Takes a place back; a second call has no effect.
    func freePlace(of session: Session) {
        guard session.holdsPlace else { return }
        session.holdsPlace = false
        places.giveBack(of: session.credentials.uid)
    }

    /// Closes the connection of a peer that does not do its part.
    func evict(_ session: Session, _ reason: Eviction.Reason) {
        let uid = session.credentials.uid
        let name = session.client.clientName
        evictions.note(Eviction(reason: reason, uptime: loop.now - startedAt), of: name, uid)
        let client = "pid \(session.credentials.pid) of uid \(uid) (\(name ?? "no name"))"
        switch reason {
        case .stalled, .stalledWhenFull:
            let bytes = session.connection.unsentBytes
            log.warning("\(client) is cut off as \(reason.rawValue): \(bytes) bytes wait for it")
        case .partialLine:
            log.warning("\(client) is cut off as \(reason.rawValue): its line does not end")
        }
        freePlace(of: session)
        session.connection.close()
    }
}
