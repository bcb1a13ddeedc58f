// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherWire

extension Session {
    /// Answers everything that was read and is not answered with the same error, in the order it came.
    func abandonRequests(_ error: WireError) {
        for request in inFlight { daemon.answer(self, request.id, request.place, error) }
        for barrier in barriers { daemon.answer(self, barrier.id, barrier.place, error) }
        for request in waiting[firstWaiting...] {
            daemon.answer(self, request.id, request.place, error)
        }
        firstWaiting = waiting.count
        barriers = []
    }
}
