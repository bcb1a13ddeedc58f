// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherOptions
import UsherWire

// Reading the configuration again: files, credential, certificates. Connections stay; whatever is wrong leaves all as
// it was.
extension Daemon {
    func reload() {
        guard stopping == nil else { return }
        announce(.reload, .will)
        service.notifier.reloading()
        let outcome = renew()
        announce(.reload, .did)
        service.notifier.ready(outcome)
    }

    /// Takes the configuration over, or leaves it; gives what came of it in a line.
    private func renew() -> String {
        let problems: [String]
        do {
            guard case .serve(let read) = try source.read() else { return statusLine }
            let (new, kept) = read.keepingWhatServes(configuration)
            let roles = try PeerRoles(new)
            let renewed = try Upstreams(new, of: parts, on: loop, log: log)
            self.roles = roles
            configuration = new.fitting(roomForClients, log)
            loop.busyPollMicroseconds = configuration.busyPollMicroseconds
            upstreams.retire()
            retired = retired.filter { !$0.isClosed } + [upstreams]
            upstreams = renewed
            for session in sessions.values { renew(session) }
            if !kept.isEmpty {
                let names = kept.joined(separator: ", ")
                log.warning("only a restart changes \(names): kept as it was", isReply: true)
            }
            log.notice("reloaded")
            return statusLine
        } catch let error as ConfigurationError {
            problems = error.problems
        } catch {
            problems = ["\(error)"]
        }
        for problem in problems {
            log.error("not reloaded, all stays as it was: \(problem)", isReply: true)
        }
        return "Not reloaded, all stays as it was: \(problems.first ?? "")"
    }

    /// Holds a connection to the roles and limits as they are now; its peer stays who it was when it connected.
    private func renew(_ session: Session) {
        session.peer = roles.peer(session.credentials, ownUser: upstreams.ownUser)
        session.connection.lowWater = lowWater
    }

    /// A connection with more unsent than the limit is then sure to tell when it drained.
    var lowWater: Int { min(Connection.defaultLowWater, limits.unsentBytes) }

    /// Tries a configuration without serving: groups, addresses, key and certificates.
    package static func check(_ configuration: Configuration, log: Log) throws {
        _ = try PeerRoles(configuration)
        _ = try configuration.socketGroup.map(groupID)
        let loop = try EventLoop()
        defer { loop.close() }
        try Upstreams(configuration, of: Parts(), on: loop, log: log).close()
    }
}

extension Configuration {
    /// This configuration with all that cannot change while the daemon serves as it was in `current`, and the names of
    /// the settings that differ there.
    fileprivate func keepingWhatServes(
        _ current: Configuration
    ) -> (configuration: Configuration, kept: [String]) {
        var kept: [String] = []
        var result = self
        func keep<Value: Equatable>(
            _ name: String, _ path: WritableKeyPath<Configuration, Value>,
            unless isAlike: (Value, Value) -> Bool = { $0 == $1 }
        ) {
            guard !isAlike(self[keyPath: path], current[keyPath: path]) else { return }
            kept.append(name)
            result[keyPath: path] = current[keyPath: path]
        }
        keep("socket", \.socketPath)
        keep("socket-mode", \.socketMode)
        keep("socket-group", \.socketGroup)
        keep("store", \.store)
        // Where the same kind of service is, and how it is reached, may change; what it means, no.
        keep("users", \.users) { $0.isSameKind(as: $1) }
        keep("movies", \.movies) { $0.isSameKind(as: $1) }
        return (result, kept)
    }
}

extension Configuration.Users {
    fileprivate func isSameKind(as other: Self) -> Bool {
        switch (self, other) {
        case (.nss, .nss), (.http, .http), (.demo, .demo): true
        default: false
        }
    }
}

extension Configuration.Movies {
    fileprivate func isSameKind(as other: Self) -> Bool {
        switch (self, other) {
        case (.sample, .sample), (.file, .file), (.tmdb, .tmdb): true
        default: false
        }
    }
}
