// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherWire

/// A request that was started and is not answered.
final class PendingRequest {
    let token: RequestToken
    let id: RequestID
    let place: Batch.Place?
    /// Whether a service is waited for, or else the store.
    let waitsForService: Bool
    /// The answer, if it came before that of an earlier change.
    var early: Result<Reply, WireError>?
    /// It lets go of what is pending when its connection has closed.
    unowned let session: Session

    init(_ request: Request, _ token: RequestToken, of session: Session, waitsForService: Bool) {
        self.token = token
        id = request.id.kept
        place = request.place
        self.waitsForService = waitsForService
        self.session = session
    }
}
