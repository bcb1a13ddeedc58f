// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherWire

extension Session {
    /// Tells a subscriber that the store cannot be written any more, or can again, unless it knows.
    ///
    /// Its topics may not change for long then, and it would take that for peace. One that cannot be written to is told
    /// when it can, if it is still so.
    func tellHealth() {
        guard !subscriptions.isEmpty, knowsDegraded != daemon.core.isDegraded,
            connection.isOpen
        else { return }
        guard !isClogged, !holdsPushes else {
            isBehind = true
            return
        }
        knowsDegraded.toggle()
        connection.output.append(knowsDegraded ? Self.degraded : Self.recovered)
    }

    private static let degraded = line(true)
    private static let recovered = line(false)

    private static func line(_ isDegraded: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"jsonrpc\":\"2.0\",\"method\":\"health\",\"params\":{\"degraded\":")
        writer.boolean(isDegraded)
        writer.raw("}}\n")
        return writer.bytes
    }
}
