// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherWire

/// A subscription together with the connection it is pushed to and the bytes that each of its pushes begins with.
///
/// A change goes to a thousand of these in a row, so they stand in one flat array a topic, and nothing is looked up
/// or encoded for each.
final class Outlet {
    let subscription: Subscription
    let session: Session
    let head: [UInt8]

    init(_ subscription: Subscription, of session: Session) {
        self.subscription = subscription
        self.session = session
        var writer = JSONWriter()
        writer.raw("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"as\":")
        writer.string(subscription.name)
        head = writer.bytes
    }
}
