// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherStore
import UsherUpstream
import UsherWire

// The state in the log, on SIGUSR1: what an administrator asks for when no client gets an answer.
extension Daemon {
    func logState() {
        log.flush()
        let uptime = (loop.now - startedAt) / 1_000
        let subscriptions = sessions.values.reduce(0) { $0 + $1.subscriptions.count }
        let unsent = sessions.values.reduce(0) { $0 + $1.connection.unsentBytes }
        let inFlight = sessions.values.reduce(0) { $0 + $1.inFlight.count }
        log.notice("state: usherd \(productVersion), up \(uptime) s, epoch \(core.epoch)")
        log.notice(
            "state: \(sessions.count) clients (\(statistics.accepted) so far), \(subscriptions) "
                + "subscriptions, \(inFlight) requests in flight, \(unsent) bytes unsent")
        log.notice(
            "state: \(statistics.requests) requests, \(statistics.pushes) pushes, "
                + "\(statistics.skipped) transitions skipped, \(statistics.resumes) resumes")
        for name in core.listNames {
            guard let status = core.list(name)?.status else { continue }
            log.notice("state: list \(name): \(status.summary)")
        }
        logServices()
    }

    private func logServices() {
        let stored = store.status
        let health = stored.isDegraded ? "CANNOT BE WRITTEN" : "well"
        log.notice(
            "state: store \(configuration.store): \(health), \(stored.commits) changes in "
                + "\(stored.transactions) transactions, \(stored.failures) failures"
                + (stored.lastError.map { "; the last one: \($0.message)" } ?? ""))
        for (name, counters) in [
            ("users", upstreams.users.counters), ("movies", upstreams.movies.counters),
        ] {
            let answers = counters.requests.sorted { $0.key < $1.key }
                .map { "\($0.value) of status \($0.key)" }
            let text = answers.isEmpty ? "none" : answers.joined(separator: ", ")
            let circuit = counters.circuit
            let rest = circuit.state == .closed ? "" : ", left alone after the last failures"
            log.notice(
                "state: \(name): answers \(text); \(counters.retries) tries again, "
                    + "\(circuit.refused) requests not sent\(rest)")
        }
    }
}

extension MovieListStatus {
    fileprivate var summary: String {
        "\(phase.rawValue), page \(page) of \(pages), \(total) movies"
            + (complete ? ", complete" : "")
    }
}
