// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherEventLoop
import UsherStore

/// The daemon's side towards a service manager: ready, status, signs of life.
///
/// Lives on the loop's thread.
final class Service {
    let notifier: ServiceNotifier
    private let watchdogMicroseconds: UInt64?
    private var watchdog: Watchdog?
    private var lastStatus = ""

    init(_ environment: ServiceEnvironment) {
        notifier = ServiceNotifier(environment.notifySocket)
        watchdogMicroseconds = environment.watchdogMicroseconds
    }

    /// Says that the daemon serves, and gives signs of life from now on.
    func begin(_ daemon: Daemon) {
        lastStatus = daemon.statusLine
        notifier.ready(lastStatus)
        guard let watchdogMicroseconds else { return }
        watchdog = Watchdog(
            microseconds: watchdogMicroseconds, on: daemon.loop, store: daemon.store
        ) { [unowned self, unowned daemon] in
            notifier.alive()
            guard daemon.stopping == nil else { return }
            daemon.log.flush()
            update(daemon.statusLine)
        }
    }

    /// Tells the status if it is another one than before.
    func update(_ status: String) {
        guard status != lastStatus else { return }
        lastStatus = status
        notifier.status(status)
    }

    /// Stops the signs of life; what is left to do is bounded.
    func end() {
        watchdog = nil
    }
}

extension Daemon {
    /// The daemon in one line, for `systemctl status`.
    var statusLine: String {
        let clients = sessions.count == 1 ? "1 client" : "\(sessions.count) clients"
        let places = sockets.places.joined(separator: " and ")
        let store = store.status.isDegraded ? "; the store cannot be written" : ""
        return "Serving \(clients) on \(places)\(store)"
    }
}
